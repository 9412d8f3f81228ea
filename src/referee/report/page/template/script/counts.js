// What follows from the counts at a threshold.
export function countsAt(series, totals, place) {
  const tp = series.tp[place];
  const fp = series.fp[place];
  return { threshold: series.t[place], tp, fp, fn: totals.positives - tp, tn: totals.negatives - fp };
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
