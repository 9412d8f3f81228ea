// What follows from the counts at a threshold.
export function countsAt(series, totals, place) {
  const tp = series.tp[place];
  const fp = series.fp[place];
  // Weights are rounded when they are added up, and no count is below 0.
  return { threshold: series.t[place], tp, fp, fn: Math.max(0, totals.positives - tp), tn: Math.max(0, totals.negatives - fp) };
}

const share = (part, whole) => (whole ? part / whole : NaN);
export const precision = ({ tp, fp }) => share(tp, tp + fp);
export const recall = ({ tp, fn }) => share(tp, tp + fn);
export const specificity = ({ tn, fp }) => share(tn, tn + fp);
export const fOne = ({ tp, fp, fn }) => share(2 * tp, 2 * tp + fp + fn);
export const accuracy = ({ tp, fp, fn, tn }) => share(tp + tn, tp + fp + fn + tn);
export const flagged = ({ tp, fp, fn, tn }) => share(tp + fp, tp + fp + fn + tn);
export const costPerThousand = ({ tp, fp, fn, tn }, alarm, miss) => (1000 * (alarm * fp + miss * fn)) / (tp + fp + fn + tn);

// Thresholds fall; the place of the one nearest to what was asked for.
export function nearestPlace(thresholds, wanted) {
  let best = 0;
  thresholds.forEach((threshold, place) => {
    if (Math.abs(threshold - wanted) < Math.abs(thresholds[best] - wanted)) best = place;
  });
  return best;
}

// The place with the largest value; of equal ones the first, which has the highest threshold.
export function bestPlace(thresholds, value) {
  let best = 0;
  let most = -Infinity;
  thresholds.forEach((_, place) => {
    const found = value(place);
    if (found > most) [best, most] = [place, found];
  });
  return best;
}

// The axis of the thresholds. Probabilities have all of 0 to 1, if they are not all the same there; the threshold that
// was given may be far from all scores, and then has no part.
export function spanOf(thresholds, given) {
  const own = thresholds.filter((threshold) => threshold !== given);
  const used = own.length ? own : thresholds;
  const [low, high] = [used[used.length - 1], used[0]];
  return low >= 0 && high <= 1 && high - low > 0.05 ? [0, 1] : [low, high];
}

// Values on an axis in as few digits as their distances need.
export function tickLabels(values) {
  const power = (size) => Math.floor(Math.log10(size));
  const [largest, step] = [Math.max(...values.map(Math.abs)), values.length > 1 ? values[1] - values[0] : Math.abs(values[0])];
  const digits = step && largest ? power(largest) - power(step) + 2 : 3;
  return values.map((value) => String(Number(value.toPrecision(Math.max(3, Math.min(17, digits))))));
}
