// The slider: every place of it is a threshold at which the counts are known exactly.
import { data } from "./data.js";
import { all, draw, one } from "./dom.js";
import { count, number } from "./numbers.js";
import {
  accuracy, bestPlace, costPerThousand, countsAt, fOne, flagged, nearestPlace, precision, recall, specificity, spanOf, tickLabels,
} from "./counts.js";

const FRAME = { left: 56, right: 430, top: 10, bottom: 218 };
const DEAREST = 1e9;
const LETTER = 7; // the width of a digit below the axis, on the safe side

class Slider {
  constructor(root) {
    this.root = root;
    this.totals = data.threshold.counts ?? data.curves[0];
    this.costs = { alarm: 1, miss: 1 };
    for (const name of ["model", "alarm", "miss", "refused", "places", "typed", "where", "cost", "cheapest-words"]) {
      this[name.replace("-w", "W")] = one(`.${name}`, root);
    }
    this.totals.models.forEach((series, place) => this.model.append(new Option(series.name, place)));
    this.listen();
    root.hidden = false;
    this.readCosts();
    if (data.threshold.model) this.model.value = data.threshold.model;
    this.choose(data.threshold.start ?? data.threshold.given);
  }

  listen() {
    const on = (name, kind, act) => one(`.${name}`, this.root).addEventListener(kind, act);
    on("model", "change", () => this.choose(this.at.threshold));
    on("places", "input", () => this.move());
    on("typed", "change", () => (this.typed.value === "" ? this.move() : this.go(nearestPlace(this.series.t, Number(this.typed.value)))));
    on("alarm", "input", () => this.readCosts() && this.price());
    on("miss", "input", () => this.readCosts() && this.price());
    on("cheapest", "click", () => this.go(this.cheapestPlace));
    on("best-f", "click", () => this.go(bestPlace(this.series.t, (place) => fOne(countsAt(this.series, this.totals, place)))));
    on("given", "click", () => this.go(nearestPlace(this.series.t, data.threshold.given)));
  }

  get series() {
    return this.totals.models[Number(this.model.value)];
  }

  // The slider's left end is the lowest threshold, and thresholds are kept highest first.
  get place() {
    return this.series.t.length - 1 - Number(this.places.value);
  }

  costAt(series, place) {
    return costPerThousand(countsAt(series, this.totals, place), this.costs.alarm, this.costs.miss);
  }

  // Of equally cheap places the one that the page recommends, else the first.
  get cheapestPlace() {
    const cost = (place) => this.costAt(this.series, place);
    const first = bestPlace(this.series.t, (place) => -cost(place));
    const advised = nearestPlace(this.series.t, data.threshold.start ?? this.series.t[first]);
    return cost(advised) === cost(first) ? advised : first;
  }

  // What was typed, if that is a cost; else what was there before stays, and the reader is told.
  readCosts() {
    let isRefused = false;
    for (const name of Object.keys(this.costs)) {
      const [field, value] = [this[name], Number(this[name].value)];
      const isCost = field.value !== "" && value >= 0 && value <= DEAREST;
      field.setAttribute("aria-invalid", String(!isCost));
      if (isCost) this.costs[name] = value;
      else isRefused = true;
    }
    const { alarm, miss } = this.costs;
    const still = `a false alarm still costs ${alarm}, and a miss ${miss}`;
    this.refused.textContent = isRefused ? `A cost is a number from 0 to ${count(DEAREST)}: ${still}.` : "";
    return !isRefused;
  }

  choose(threshold) {
    this.places.max = this.series.t.length - 1;
    this.price();
    this.go(nearestPlace(this.series.t, threshold));
  }

  go(place) {
    this.places.value = this.series.t.length - 1 - place;
    this.move();
  }

  move() {
    this.at = countsAt(this.series, this.totals, this.place);
    const { threshold, fn, fp } = this.at;
    this.typed.value = threshold;
    this.places.setAttribute("aria-valuetext", `threshold ${threshold}: ${count(fn)} missed, ${count(fp)} false alarms`);
    const { alarm, miss } = this.costs;
    this.where.textContent = `${this.series.name} at threshold ${threshold}, where a false alarm costs ${alarm} and a miss ${miss}:`;
    this.fill();
    const x = this.x(threshold);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
  }

  fill() {
    const rows = this.totals.positives + this.totals.negatives;
    for (const cell of all("[data-count]", this.root)) {
      const value = this.at[cell.dataset.count];
      const isGood = ["tp", "tn"].includes(cell.dataset.count);
      one("b", cell).textContent = count(value);
      cell.className = `count ${isGood ? "heat" : "burn"}${1 + Math.round(8 * Math.sqrt(value / rows))}`;
    }
    const values = {
      Precision: precision(this.at), Recall: recall(this.at), Specificity: specificity(this.at), F1: fOne(this.at),
      Accuracy: accuracy(this.at), "Cost per 1,000 rows": this.costAt(this.series, this.place),
    };
    for (const [name, value] of Object.entries(values)) one(`[data-value="${name}"]`, this.root).textContent = number(value);
    const objective = one('[data-value="objective"]', this.root);
    if (objective) objective.textContent = number(this.series.value[this.place]);
    one('[data-value="Called positive"]', this.root).textContent = `${(100 * flagged(this.at)).toFixed(1)}%`;
  }

  x(threshold) {
    const [low, high] = this.ends;
    const spread = high / 2 - low / 2; // halves, as the whole may be beyond all numbers
    const share = spread ? (threshold / 2 - low / 2) / spread : 0.5;
    return FRAME.left + Math.max(0, Math.min(1, share)) * (FRAME.right - FRAME.left);
  }

  // The models whose scores are on the scale of the chosen one: the others have no place on its axis.
  alike() {
    const given = data.threshold.given;
    const [low, high] = spanOf(this.series.t, given);
    return this.totals.models.filter((series) => {
      const [from, to] = spanOf(series.t, given);
      const shared = Math.min(high, to) / 2 - Math.max(low, from) / 2; // halves again
      const whole = Math.max(high, to) / 2 - Math.min(low, from) / 2;
      return series === this.series || shared > whole / 2;
    });
  }

  // Costs have changed, or the model: draw the curves anew.
  price() {
    const drawn = this.alike();
    const spans = drawn.map((series) => spanOf(series.t, data.threshold.given));
    this.ends = [Math.min(...spans.map(([low]) => low)), Math.max(...spans.map(([, high]) => high))];
    const costs = new Map(drawn.map((series) => [series, series.t.map((_, place) => this.costAt(series, place))]));
    const nobody = this.costAt({ t: [0], tp: [0], fp: [0] }, 0);
    const top = roundUp(Math.max(1e-9, Math.min(1.6 * nobody || Infinity, Math.max(...[...costs.values()].flat()))));
    const y = (cost) => FRAME.bottom - (cost / top) * (FRAME.bottom - FRAME.top);
    this.cost.replaceChildren(...axesOf(top, this.ends, y, (value) => this.x(value)));
    const [wide, high] = [FRAME.right - FRAME.left, FRAME.bottom - FRAME.top];
    const frame = draw("rect", { x: FRAME.left, y: FRAME.top - 2, width: wide, height: high + 4 });
    const inside = draw("g", { "clip-path": "url(#inside-cost)" });
    this.cost.append(draw("clipPath", { id: "inside-cost" }, frame), inside);
    for (const [series, each] of costs) {
      const points = series.t.map((threshold, at) => `${this.x(threshold).toFixed(1)},${y(each[at]).toFixed(1)}`);
      const style = `curve ${series.look}${series === this.series ? "" : " faint"}`;
      inside.append(draw("path", { d: `M${points.join("L")}`, class: style, "data-label": series.name }));
    }
    const own = costs.get(this.series);
    const best = this.cheapestPlace;
    this.cursor = draw("line", { class: "cursor", y1: FRAME.top, y2: FRAME.bottom });
    const dot = draw("circle", { r: 6, cx: this.x(this.series.t[best]), cy: y(own[best]), class: `dot ${this.series.look}` });
    this.cost.append(this.cursor, dot);
    this.cheapestWords.textContent = `${this.series.name}: cheapest ${number(own[best])}, at threshold ${this.series.t[best]}; calling nothing positive costs ${number(nobody)}.`;
    if (this.at) this.move();
  }
}

function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8, 10].map((factor) => factor * power).find((step) => step >= value * 0.999);
}

function label(words, attributes) {
  const text = draw("text", attributes);
  text.textContent = words;
  return text;
}

function axesOf(top, [low, high], y, x) {
  const parts = [];
  for (const cost of [0, 0.25, 0.5, 0.75, 1].map((share) => share * top)) {
    parts.push(draw("line", { class: "grid", x1: FRAME.left, x2: FRAME.right, y1: y(cost), y2: y(cost) }));
    parts.push(label(String(Number(cost.toPrecision(3))), { x: FRAME.left - 7, y: y(cost) + 4, "text-anchor": "end" }));
  }
  const [thresholds, words] = ticksWithin(low, high, FRAME.right - FRAME.left);
  thresholds.forEach((threshold, place) => {
    const side = words[place].length < 6 ? "middle" : { 0: "start", [words.length - 1]: "end" }[place] ?? "middle";
    parts.push(label(words[place], { x: x(threshold), y: FRAME.bottom + 17, "text-anchor": side }));
  });
  parts.push(label("Threshold", { x: (FRAME.left + FRAME.right) / 2, y: FRAME.bottom + 37, "text-anchor": "middle" }));
  return parts;
}

// As many as have room beside each other.
function ticksWithin(low, high, width) {
  for (const steps of low < high ? [4, 2, 1] : [0]) {
    const values = Array.from({ length: steps + 1 }, (_, step) => (steps ? (1 - step / steps) * low + (step / steps) * high : low));
    const words = tickLabels(values);
    if (steps < 2 || words.join("  ").length * LETTER < width) return [values, words];
  }
}

for (const root of all(".slider")) new Slider(root);
