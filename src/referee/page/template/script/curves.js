// Reading curves: by pointing, or by arrow keys; and following one model among many.
import { data } from "./data.js";
import { all, draw, make, one } from "./dom.js";
import { roundTicks } from "./forest.js";
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
    this.frame = frame;
    this.totals = data.curves[Number(frame.dataset.place)];
    this.axes = AXES[frame.dataset.kind];
    this.drawing = one("svg", frame);
    this.ring = one(".ring", frame);
    this.status = one(".readout", frame);
    this.plot = this.drawing.dataset.plot.split(" ").map(Number);
    this.at = { model: 0, place: -1 };
    frame.addEventListener("pointermove", (event) => this.point(event));
    frame.addEventListener("pointerleave", () => this.clear());
    frame.addEventListener("keydown", (event) => this.press(event));
    frame.addEventListener("blur", () => this.clear());
  }

  get visible() {
    return this.totals.models.filter((series) => !/ (dim|off)( |$)/.test(one(`.model-${series.place}`, this.drawing).getAttribute("class")));
  }

  where(series, place) {
    return this.onChart(this.axes(countsAt(series, this.totals, place), this.totals));
  }

  whereIs(event) {
    const frame = this.drawing.getBoundingClientRect();
    const scale = this.drawing.viewBox.baseVal.width / frame.width;
    return [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
  }

  isInside([x, y]) {
    const [x0, x1, y0, y1] = this.plot;
    return x >= x0 - 1 && x <= x1 + 1 && y <= y0 + 1 && y >= y1 - 1;
  }

  point(event) {
    const [x, y] = this.whereIs(event);
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
    if (!this.isInside([cx, cy])) return this.clear();
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

// A chart is zoomed towards the corner that good models reach, or into what the pointer drags a frame around.
class Zoom {
  constructor(reader) {
    this.reader = reader;
    this.drawing = reader.drawing;
    this.axes = one(".axes", this.drawing);
    this.lines = one(".lines", this.drawing);
    this.whole = [...this.axes.childNodes];
    this.corner = reader.frame.dataset.kind === "roc" ? [0, 1] : [1, 1];
    const clip = `inside-${(Zoom.number = (Zoom.number ?? 0) + 1)}`;
    const [x0, x1, y0, y1] = reader.plot;
    this.drawing.prepend(draw("clipPath", { id: clip }, draw("rect", { x: x0, y: y1, width: x1 - x0, height: y0 - y1 })));
    const inside = draw("g", { "clip-path": `url(#${clip})` });
    this.lines.replaceWith(inside);
    inside.append(this.lines);
    this.box = draw("rect", { class: "frame off" });
    this.drawing.append(this.box);
    this.buttons = [["+", "Zoom in", () => this.step(0.4)], ["−", "Zoom out", () => this.step(2.5)]].map(([sign, what, act]) => {
      const button = make("button", { type: "button", class: "zoom", "aria-label": `${what}: ${one("figcaption", reader.frame.closest("figure")).textContent}` }, sign);
      button.addEventListener("click", act);
      return button;
    });
    reader.frame.after(make("p", { class: "zooming screen-only" }, ...this.buttons, "Zoom, or drag over the chart"));
    reader.frame.addEventListener("keydown", (event) => ({ "+": 0.4, "=": 0.4, "-": 2.5 })[event.key] && this.step({ "+": 0.4, "=": 0.4, "-": 2.5 }[event.key]));
    this.drawing.addEventListener("pointerdown", (event) => event.pointerType === "mouse" && this.begin(event));
    this.show([0, 1], [0, 1]);
  }

  // Nearer to the corner, or back; the frame stays within the whole.
  step(factor) {
    const side = (span, end) => {
      const size = Math.min(1, Math.max(0.01, (span[1] - span[0]) * factor));
      const [low, high] = end ? [span[1] - size, span[1]] : [span[0], span[0] + size];
      const shift = Math.max(0, -low) - Math.max(0, high - 1);
      return [low + shift, high + shift].map((value) => Number(value.toPrecision(12)));
    };
    this.show(side(this.x, this.corner[0]), side(this.y, this.corner[1]));
  }

  show(x, y) {
    Object.assign(this, { x, y });
    const [x0, x1, y0, y1] = this.reader.plot;
    const isWhole = x[1] - x[0] === 1 && y[1] - y[0] === 1;
    const [across, up] = [1 / (x[1] - x[0]), 1 / (y[1] - y[0])];
    const [dx, dy] = [x0 - across * (x0 + x[0] * (x1 - x0)), y0 - up * (y0 + y[0] * (y1 - y0))];
    if (isWhole) this.lines.removeAttribute("transform");
    else this.lines.setAttribute("transform", `matrix(${across} 0 0 ${up} ${dx} ${dy})`);
    this.reader.onChart = ([a, b]) => [x0 + ((a - x[0]) / (x[1] - x[0])) * (x1 - x0), y0 + ((b - y[0]) / (y[1] - y[0])) * (y1 - y0)];
    this.axes.replaceChildren(...(isWhole ? this.whole : [...this.ticks(), ...this.whole.slice(-2)]));
    this.buttons[1].disabled = isWhole;
    this.reader.clear();
  }

  ticks() {
    const [x0, x1, y0, y1] = this.reader.plot;
    const place = ([low, high], from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);
    const [across, up] = [place(this.x, x0, x1), place(this.y, y0, y1)];
    const heights = roundTicks(...this.y, 5).flatMap((value) => [
      draw("line", { class: "grid", x1: x0, x2: x1, y1: up(value), y2: up(value) }),
      draw("text", { x: x0 - 7, y: up(value) + 4, "text-anchor": "end" }, String(value)),
    ]);
    return [...heights, ...roundTicks(...this.x, 5).map((value) => draw("text", { x: across(value), y: y0 + 17, "text-anchor": "middle" }, String(value)))];
  }

  begin(event) {
    const start = this.reader.whereIs(event);
    const follow = (moved) => {
      const end = this.reader.whereIs(moved);
      const [left, top] = [Math.min(start[0], end[0]), Math.min(start[1], end[1])];
      for (const [name, value] of Object.entries({ x: left, y: top, width: Math.abs(start[0] - end[0]), height: Math.abs(start[1] - end[1]) })) this.box.setAttribute(name, value);
      this.box.classList.remove("off");
    };
    const finish = (last) => {
      removeEventListener("pointermove", follow);
      removeEventListener("pointerup", finish);
      this.box.classList.add("off");
      this.frame(start, this.reader.whereIs(last));
    };
    event.preventDefault();
    addEventListener("pointermove", follow);
    addEventListener("pointerup", finish);
  }

  frame(start, end) {
    if (Math.abs(start[0] - end[0]) < 12 || Math.abs(start[1] - end[1]) < 12) return;
    const [x0, x1, y0, y1] = this.reader.plot;
    const values = (from, to, [low, high], a, b) => [a, b].map((at) => Math.min(high, Math.max(low, low + ((at - from) / (to - from)) * (high - low)))).sort((p, q) => p - q);
    this.show(values(x0, x1, this.x, start[0], end[0]), values(y0, y1, this.y, start[1], end[1]));
  }
}

// Of many lines the first two are drawn, and those whose names are clicked; pointing at a name, or focusing it, shows
// that line alone among those that are drawn.
class Emphasis {
  constructor(card) {
    this.lines = all('[class*="model-"]', card).map((line) => [line, /model-(\d+)/.exec(line.getAttribute("class"))[1]]);
    const names = all(".legend li", card).map((entry) => [entry, entry.dataset.model]);
    this.isMany = one(".legend[data-many]", card) !== null;
    this.drawn = new Set(names.map(([, model]) => model).slice(0, this.isMany ? 2 : names.length));
    this.buttons = names.map(([entry, model]) => this.button(entry, model));
    if (this.isMany) this.offerAll(one(".legend", card), names);
    this.show();
  }

  button(entry, model) {
    const button = make("button", { type: "button" }, ...entry.childNodes);
    const follow = { pointerenter: model, focus: model, pointerleave: undefined, blur: undefined };
    for (const [kind, pointed] of Object.entries(follow)) button.addEventListener(kind, () => this.show(pointed));
    button.addEventListener("click", () => this.toggle(model));
    entry.append(button);
    return [button, model];
  }

  offerAll(legend, names) {
    const button = make("button", { type: "button" }, "Show all");
    button.addEventListener("click", () => {
      const models = names.map(([, model]) => model);
      this.drawn = new Set(this.drawn.size < models.length ? models : models.slice(0, 2));
      this.show();
      button.textContent = this.drawn.size < models.length ? "Show all" : "Show the first two";
    });
    legend.after(make("p", { class: "screen-only" }, button));
  }

  toggle(model) {
    if (!this.drawn.delete(model)) this.drawn.add(model);
    this.show();
  }

  show(pointed) {
    for (const [button, model] of this.buttons) button.setAttribute("aria-pressed", String(this.drawn.has(model)));
    for (const [line, model] of this.lines) {
      line.classList.toggle("off", !this.drawn.has(model) && model !== pointed);
      line.classList.toggle("dim", pointed !== undefined && model !== pointed);
    }
  }
}

for (const frame of all(".reader")) new Zoom(new Reader(frame));
for (const card of all("[data-legend]")) new Emphasis(card);
