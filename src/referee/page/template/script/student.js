// Student's t: tails and quantiles, for intervals at another alpha. The normal distribution has no `df`.
const EXACT = 1e-15;

// Lanczos' approximation.
const TERMS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
function logGamma(x) {
  const sum = TERMS.reduce((total, term, place) => total + term / (x + place), 0.99999999999980993);
  const shifted = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(shifted) - shifted + Math.log(sum);
}

// log Gamma(a + 1/2) - log Gamma(a), of large ones by its series, as both are then too large for their difference.
const LARGE = 50;
function halfStep(a) {
  return a > LARGE ? Math.log(a) / 2 - 1 / (8 * a) + 1 / (192 * a ** 3) : logGamma(a + 0.5) - logGamma(a);
}

// A continued fraction b0 + a1 / (b1 + a2 / (b2 + ...)) by Lentz's method.
function fraction(start, term) {
  let [value, c, d] = [start, start, 0];
  for (let step = 1; step < 20000; step += 1) {
    const [a, b] = term(step);
    d = 1 / (b + a * d);
    c = b + a / c;
    value *= c * d;
    if (Math.abs(c * d - 1) < EXACT) break;
  }
  return value;
}

// The regularised incomplete beta function, of which one argument is 1/2, where x is small enough for its fraction.
function betaBelow(x, a, b) {
  const scale = halfStep(Math.max(a, b)) - Math.log(Math.PI) / 2;
  const front = Math.exp(scale + a * Math.log(x) + b * Math.log1p(-x)) / a;
  const term = (step) => {
    const m = Math.floor(step / 2);
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    return [step % 2 ? odd : even, 1];
  };
  return front / fraction(1, term);
}

function normalTail(z) {
  const half = (z * z) / 2;
  if (z > 2.5) return Math.exp(-half) / Math.sqrt(2 * Math.PI) / fraction(z, (step) => [step, z]);
  let [sum, term] = [z, z];
  for (let step = 1; Math.abs(term) > EXACT * Math.abs(sum); step += 1) sum += term *= (z * z) / (2 * step + 1);
  return 0.5 - (Math.exp(-half) / Math.sqrt(2 * Math.PI)) * sum;
}

// How likely it is to be above t, for t >= 0.
export function upperTail(t, df) {
  if (t === 0) return 0.5;
  if (df === null || df > 1e7) return normalTail(t);
  const [x, rest] = [df / (df + t * t), (t * t) / (df + t * t)];
  const [a, b] = [df / 2, 0.5];
  return 0.5 * (x < (a + 1) / (a + b + 2) ? betaBelow(x, a, b) : 1 - betaBelow(rest, b, a));
}

// The t that is exceeded with this probability, of at most a half.
export function exceeded(share, df) {
  let [low, high] = [0, 1];
  while (upperTail(high, df) > share) [low, high] = [high, 2 * high];
  for (let step = 0; step < 80; step += 1) {
    const middle = (low + high) / 2;
    if (upperTail(middle, df) > share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
