// The reader picks the goal, the pair, the margin and alpha. What is said under each goal was made by Python; a pair's
// interval at another alpha, and what it says of a margin, follow from its standard error.
import { data } from "./data.js";
import { all, make, one } from "./dom.js";
import { cellValue } from "./cells.js";
import { drawForest, signedNumber } from "./forest.js";
import { number, pValue } from "./numbers.js";
import { againstMargin, atAlpha, hasError, pairOf, turned } from "./pairs.js";

const LOOKS = ["good", "warn", "bad"];
const lookOf = (place) => `c${place % 7} s${place % 5}`;
const percent = (alpha) => `${Number((100 * (1 - alpha)).toPrecision(14))}%`;
const filled = (text, names) => text.replace(/\{(a|b|margin)\}/g, (_, key) => names[key]);
const capital = (text) => (text.startsWith("it ") ? text[0].toUpperCase() + text.slice(1) : text);

// The card at the top of the page, which says who won on the goal that is shown.
class Card {
  constructor(root, asked, choose) {
    this.root = root;
    this.asked = asked;
    this.rows = one(".facts > div:last-child", root); // the same for all goals
    const label = make("label", {}, "Goal", (this.choice = make("select", { class: "goal" })));
    this.remark = make("p", { class: "quiet other-goal", role: "status", hidden: "" });
    root.prepend(make("div", { class: "controls screen-only goal-choice" }, label));
    one("h1", root).before(this.remark);
    this.choice.addEventListener("change", () => choose(Number(this.choice.value)));
  }

  show(goal) {
    const isOther = goal !== this.asked;
    one(".tag", this.root).textContent = goal.tag;
    for (const part of [this.root, one(".tag", this.root)]) {
      part.classList.remove(...LOOKS);
      part.classList.add(goal.look);
    }
    one("h1", this.root).textContent = goal.headline;
    one(".big", this.root).textContent = goal.sentence;
    const facts = goal.facts.map(([name, value, remark]) => make("div", {}, make("dt", {}, name), make("dd", {}, make("b", {}, value), remark)));
    one(".facts", this.root).replaceChildren(...facts, this.rows);
    this.remark.hidden = !isOther;
    this.remark.textContent = isOther ? `You named ${this.asked.name} as the goal. A goal chosen by its result makes p too small.` : "";
    for (const part of all(".of-the-goal", this.root)) part.hidden = isOther;
  }
}

class Differences {
  constructor(root, given) {
    Object.assign(this, { root, given, goal: given.goals[0], alpha: given.alpha, margin: given.margin });
    for (const name of ["first", "second", "margin", "alpha"]) this[`${name}Field`] = one(`.${name}`, root);
    this.card = new Card(one("#verdict"), this.goal, (place) => this.show(place));
    given.goals.forEach((goal, place) => this.card.choice.append(new Option(goal.name, place)));
    one(".goal-choice").hidden = given.goals.length < 2;
    this.rows = this.buttons();
    this.firstField.addEventListener("change", () => this.pick(Number(this.firstField.value), this.second));
    this.secondField.addEventListener("change", () => this.pick(this.first, Number(this.secondField.value)));
    for (const field of [this.marginField, this.alphaField]) field.addEventListener("input", () => this.read() && this.draw());
    one(".as-asked", root).addEventListener("click", () => this.reset());
    one(".controls", root).hidden = false;
    this.start();
  }

  // Python has drawn what was asked for, and it stays until the reader asks for something else.
  start() {
    this.first = this.goal.best;
    this.offer();
    this.second = Number(this.secondField.value);
  }

  reset() {
    this.marginField.value = this.given.margin ?? "";
    this.alphaField.value = this.given.alpha;
    this.read();
    this.show(0);
  }

  // A row of the metric table is a way to choose its goal.
  buttons() {
    const places = new Map(this.given.goals.map((goal, place) => [goal.metric, place]));
    const rows = all("#metrics tbody th").filter((head) => places.has(cellValue(head)) && places.size > 1);
    return rows.map((head) => {
      const place = places.get(cellValue(head));
      const button = make("button", { type: "button", class: "as-goal", "aria-pressed": String(place === 0), title: "Show the verdict on this goal" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        this.show(place);
        one("#verdict").scrollIntoView();
      });
      return [button, place];
    });
  }

  show(place) {
    this.goal = this.given.goals[place];
    this.card.choice.value = place;
    this.card.show(this.goal);
    for (const [button, own] of this.rows) button.setAttribute("aria-pressed", String(own === place));
    this.pick(this.goal.best);
  }

  pick(first, second) {
    this.first = first;
    this.offer();
    const places = [...this.secondField.options].map((option) => Number(option.value));
    this.second = places.includes(second) ? second : places[0];
    this.secondField.value = this.second;
    this.draw();
  }

  get known() {
    return this.goal.pairs.map((pair) => pairOf(pair, this.given.alpha));
  }

  // The pairs of the first model, seen from it.
  get pairs() {
    const own = this.known.filter((pair) => [pair.a, pair.b].includes(this.first));
    return own.map((pair) => (pair.a === this.first ? pair : turned(pair))).sort((a, b) => a.b - b.b);
  }

  offer() {
    const option = (place) => new Option(this.given.models[place], place);
    const places = [...new Set(this.known.flatMap((pair) => [pair.a, pair.b]))].sort((a, b) => a - b);
    this.firstField.replaceChildren(...places.map(option));
    this.firstField.value = this.first;
    this.secondField.replaceChildren(...this.pairs.map((pair) => option(pair.b)));
  }

  // What was typed, if it can be that; else what was there before stays, and the reader is told.
  read() {
    const [alpha, margin] = [Number(this.alphaField.value), this.marginField.value === "" ? null : Number(this.marginField.value)];
    const isAlpha = this.alphaField.value !== "" && alpha > 0 && alpha < 0.5;
    const isMargin = !this.marginField.validity.badInput && (margin === null || (margin >= 0 && margin < Infinity));
    this.alphaField.setAttribute("aria-invalid", String(!isAlpha));
    this.marginField.setAttribute("aria-invalid", String(!isMargin));
    if (isAlpha) this.alpha = alpha;
    if (isMargin) this.margin = margin;
    const said = [isAlpha ? "" : `Alpha is a number above 0 and below 0.5; it is still ${this.alpha}.`, isMargin ? "" : `A margin is a number, 0 or more; it is still ${this.margin ?? "none"}.`];
    one(".refused", this.root).textContent = said.filter(Boolean).join(" ");
    return isAlpha && isMargin;
  }

  get names() {
    return { a: this.given.models[this.first], b: this.given.models[this.second], margin: number(this.margin) };
  }

  draw() {
    const { name, better } = this.goal;
    const pairs = this.pairs.map((pair) => atAlpha(pair, this.alpha, this.given.alpha, better));
    const shown = pairs.find((pair) => pair.b === this.second);
    const rows = pairs.map((pair) => this.row(pair));
    const ends = this.margin === null ? [] : [-this.margin, this.margin].map((end) => [`margin ${signedNumber(end)}`, end]);
    for (const drawing of all("svg", one("figure", this.root))) drawForest(drawing, rows, [["no difference", 0], ...ends], this.given.shapes);
    const others = pairs.length > 1 ? "each other model" : this.names.b;
    one("figcaption", this.root).textContent = `${this.names.a} minus ${others} on ${name}, ${better} is better`;
    one(".pair", this.root).textContent = this.words(shown);
    this.mention(shown);
  }

  row(pair) {
    const names = { a: this.given.models[pair.a], b: this.given.models[pair.b] };
    const state = names[pair.o] ? `${names[pair.o]} is better` : pair.why ? "undecided" : "tie";
    const [value, place] = [pair.d, pair.b];
    return { label: names.b, look: lookOf(place), place, value, low: pair.low, high: pair.high, state, chosen: pair.b === this.second };
  }

  words(pair) {
    const { words } = this.given;
    const facts = [signedNumber(pair.d)];
    if (pair.low !== null) facts.push(`${percent(pair.alpha)} interval ${number(pair.low)} to ${number(pair.high)}`);
    if (pair.p !== null) facts.push(pValue(pair.p));
    const answer = pair.why ?? filled(words[pair.o] ?? words.tie, this.names);
    const first = `${this.names.a} minus ${this.names.b} on ${this.goal.name}: ${facts.join(", ")}; ${answer}.`;
    const relation = this.margin === null ? null : againstMargin(pair, this.margin, this.alpha, this.goal.better);
    return relation === null ? first : `${first} ${capital(filled(words[relation], this.names))}.`;
  }

  // What the fields do not change.
  mention(pair) {
    const isAsked = this.alpha === this.given.alpha && this.margin === this.given.margin;
    const remark = one(".pair-remark", this.root);
    const said = isAsked ? [] : ["This margin and alpha apply to these pairs only; the verdict above uses the original ones."];
    if (!isAsked && !hasError(pair)) said.push("This test's interval is not based on a standard error: it stays as it is, and no margin is tested.");
    remark.textContent = said.join(" ");
    remark.hidden = !said.length;
    one(".as-asked", this.root).hidden = isAsked && this.goal === this.given.goals[0] && this.first === this.goal.best;
  }
}

for (const root of all("[data-differences]")) new Differences(root, data.differences);
