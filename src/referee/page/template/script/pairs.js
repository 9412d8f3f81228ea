// What follows from a pair's difference, its standard error and degrees of freedom, at another alpha or margin.
import { exceeded } from "./student.js";

const reach = (pair, share) => exceeded(share, pair.df) * pair.se;
const around = (pair, half) => [pair.d - half, pair.d + half];
export const hasError = (pair) => pair.se !== undefined;

// A pair as the page has it: places of the models, difference, p, outcome; standard error and df, or the interval.
export function pairOf([a, b, d, p, o, byT, first, second, why], alpha) {
  const pair = { a, b, d, p, o, why };
  if (!byT) return { ...pair, low: first, high: second };
  const [low, high] = around({ d }, reach({ se: first, df: second }, alpha / 2));
  return { ...pair, se: first, df: second, low, high };
}

// The same pair with the other model first.
export function turned(pair) {
  const minus = (value) => (value === null ? null : 0 - value);
  const outcome = { a: "b", b: "a" }[pair.o] ?? pair.o;
  return { ...pair, a: pair.b, b: pair.a, d: minus(pair.d), low: minus(pair.high), high: minus(pair.low), o: outcome };
}

// At the alpha of the test everything is as the test gave it; an interval that is no t interval keeps its own.
export function atAlpha(pair, alpha, own, better) {
  if (alpha === own || pair.why || pair.p === null) return { ...pair, alpha: own };
  const outcome = pair.p < alpha ? (pair.d > 0 === (better === "higher") ? "a" : "b") : "tie";
  if (!hasError(pair)) return { ...pair, o: outcome, alpha: own };
  const [low, high] = around(pair, reach(pair, alpha / 2));
  return { ...pair, low, high, o: outcome, alpha };
}

// Two one-sided tests at alpha show that a difference is within the margin; the interval, that it is beyond.
export function againstMargin(pair, margin, alpha, better) {
  if (pair.why || !hasError(pair)) return null;
  const [least, most] = around(pair, reach(pair, alpha));
  const [low, high] = around(pair, reach(pair, alpha / 2));
  if (least > -margin && most < margin) return "practically equal";
  if (low > margin) return better === "higher" ? "a is better by more" : "b is better by more";
  if (high < -margin) return better === "higher" ? "b is better by more" : "a is better by more";
  return "cannot be said";
}
