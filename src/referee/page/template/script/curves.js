// Reading curves: by pointing, or by arrow keys; and following one model among many.
import { data } from "./data.js";
import { all, make, one } from "./dom.js";
import { count, number } from "./numbers.js";
import { countsAt, precision, recall } from "./counts.js";
import { hideTip, showTip } from "./tooltip.js";

const NEAR = 40;
const AXES = {
  roc: (at, totals) => [at.fp / totals.negatives, recall(at)],
  precision_recall: (at) => [recall(at), precision(at)],
};

class Reader {
  constructor(frame) {
    this.totals = data.curves[Number(frame.dataset.place)];
    this.axes = AXES[frame.dataset.kind];
    this.drawing = one("svg", frame);
    this.ring = one(".ring", frame);
    this.status = one(".readout", frame);
    const [x0, x1, y0, y1] = this.drawing.dataset.plot.split(" ").map(Number);
    this.onChart = ([x, y]) => [x0 + x * (x1 - x0), y0 + y * (y1 - y0)];
    this.at = { model: 0, place: -1 };
    frame.addEventListener("pointermove", (event) => this.point(event));
    frame.addEventListener("pointerleave", () => this.clear());
    frame.addEventListener("keydown", (event) => this.press(event));
    frame.addEventListener("blur", () => this.clear());
  }

  get visible() {
    return this.totals.models.filter((series) => !one(`.model-${series.place}`, this.drawing).classList.contains("dim"));
  }

  where(series, place) {
    return this.onChart(this.axes(countsAt(series, this.totals, place), this.totals));
  }

  point(event) {
    const frame = this.drawing.getBoundingClientRect();
    const scale = this.drawing.viewBox.baseVal.width / frame.width;
    const [x, y] = [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
    let nearest = { distance: NEAR * NEAR };
    for (const series of this.visible) {
      series.t.forEach((_, place) => {
        const [px, py] = this.where(series, place);
        const distance = (px - x) ** 2 + (py - y) ** 2;
        if (distance < nearest.distance) nearest = { distance, series, place };
      });
    }
    if (nearest.series) this.show(nearest.series, nearest.place, event.clientX, event.clientY);
    else this.clear();
  }

  press(event) {
    const models = this.visible;
    const steps = { ArrowRight: 1, ArrowLeft: -1, PageUp: 20, PageDown: -20 };
    if (!models.length || !(event.key in steps || ["ArrowUp", "ArrowDown", "Home", "End"].includes(event.key))) return;
    event.preventDefault();
    if (event.key === "ArrowUp") this.at.model -= 1;
    if (event.key === "ArrowDown") this.at.model += 1;
    this.at.model = (this.at.model + models.length) % models.length;
    const series = models[this.at.model];
    const last = series.t.length - 1;
    const place = event.key === "Home" ? 0 : event.key === "End" ? last : this.at.place + (steps[event.key] ?? 0);
    this.at.place = Math.max(0, Math.min(last, place));
    const [x, y] = this.where(series, this.at.place);
    const frame = this.drawing.getBoundingClientRect();
    const scale = frame.width / this.drawing.viewBox.baseVal.width;
    this.show(series, this.at.place, frame.left + x * scale, frame.top + y * scale);
    this.status.textContent = this.words(series, this.at.place).replaceAll("\n", "; ");
  }

  words(series, place) {
    const at = countsAt(series, this.totals, place);
    return (
      `${series.name}, threshold ${at.threshold}\nrecall ${number(recall(at))}, precision ${number(precision(at))}\n` +
      `${count(at.fp)} false alarms, ${count(at.fn)} misses`
    );
  }

  show(series, place, x, y) {
    const [cx, cy] = this.where(series, place);
    if (Number.isNaN(cy)) return this.clear();
    this.ring.classList.remove("off");
    this.ring.setAttribute("cx", cx);
    this.ring.setAttribute("cy", cy);
    showTip(x, y, this.words(series, place));
  }

  clear() {
    this.ring.classList.add("off");
    this.status.textContent = "";
    hideTip();
  }
}

// Of many lines one is followed: pointing at its name, or focusing it, dims all others, and a click keeps it so.
class Emphasis {
  constructor(cards) {
    this.pinned = new Set();
    this.lines = cards.flatMap((card) => all('[class*="model-"]', card)).map((line) => [line, /model-(\d+)/.exec(line.getAttribute("class"))[1]]);
    this.buttons = cards.flatMap((card) => all(".legend li", card)).map((entry) => this.button(entry, entry.dataset.model));
  }

  button(entry, model) {
    const button = make("button", { type: "button", "aria-pressed": "false" }, ...entry.childNodes);
    const follow = { pointerenter: model, focus: model, pointerleave: undefined, blur: undefined };
    for (const [kind, pointed] of Object.entries(follow)) button.addEventListener(kind, () => this.show(pointed));
    button.addEventListener("click", () => this.pin(model));
    entry.append(button);
    return [button, model];
  }

  pin(model) {
    if (!this.pinned.delete(model)) this.pinned.add(model);
    for (const [button, own] of this.buttons) button.setAttribute("aria-pressed", String(this.pinned.has(own)));
    this.show(model);
  }

  show(pointed) {
    const followed = new Set(pointed === undefined ? this.pinned : [...this.pinned, pointed]);
    for (const [line, model] of this.lines) line.classList.toggle("dim", followed.size > 0 && !followed.has(model));
  }
}

for (const frame of all(".reader")) new Reader(frame);
new Emphasis(all("[data-legend]"));
