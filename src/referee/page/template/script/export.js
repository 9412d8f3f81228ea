// Every figure can be saved as SVG, and every table as CSV.
import { rowsOf } from "./cells.js";
import { asCsv } from "./csv.js";
import { all, draw, make, one } from "./dom.js";

const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-size", "font-weight", "font-family", "display"];
const TITLE = 32;
const LINE = 20;

function keepStyle(copy, original) {
  const style = getComputedStyle(original);
  for (const property of KEPT) copy.setAttribute(property, style.getPropertyValue(property));
  copy.removeAttribute("tabindex");
}

function titleOf(figure) {
  const panel = figure.closest("[data-panel]")?.dataset.panel;
  return [panel, one("figcaption", figure)?.textContent.trim()].filter(Boolean).join(": ");
}

// Names and lines: as the card's legend has them, or as the drawn lines say themselves.
function keyOf(figure, drawing) {
  const legend = figure.closest("[data-legend]");
  if (!legend) return all("[data-label]", drawing).map((line) => [line.dataset.label, line]);
  const drawn = all(".legend li", legend).filter((entry) => one(`.model-${entry.dataset.model}:not(.off)`, drawing));
  return drawn.map((entry) => [entry.textContent.trim(), one(".curve", entry)]);
}

function keyLine([name, line], y, words) {
  const sample = draw("line", { x1: 10, x2: 40, y1: y - 4, y2: y - 4 });
  keepStyle(sample, line);
  return [sample, draw("text", { ...words, x: 48, y, "font-size": 12 }, name)];
}

// A copy that looks the same without the page: its styles, its colour of paper, its title and its key are in it.
export function drawingAsSvg(drawing, title, key) {
  const copy = drawing.cloneNode(true);
  const originals = [drawing, ...all("*", drawing)];
  [copy, ...all("*", copy)].forEach((element, place) => keepStyle(element, originals[place]));
  const { width, height } = drawing.viewBox.baseVal;
  const [top, whole] = [title ? -TITLE : 0, (title ? TITLE : 0) + height + LINE * key.length + 10];
  const page = getComputedStyle(document.body);
  const paper = getComputedStyle(drawing.closest(".card") ?? document.body).backgroundColor;
  const words = { fill: page.color, "font-family": page.fontFamily };
  copy.prepend(draw("rect", { x: 0, y: top, width, height: whole, fill: paper }));
  if (title) copy.append(draw("text", { ...words, x: 10, y: -12, "font-size": 15, "font-weight": 650 }, title));
  copy.append(...key.flatMap((entry, place) => keyLine(entry, height + LINE * (place + 0.7), words)));
  copy.setAttribute("viewBox", `0 ${top} ${width} ${whole}`);
  copy.setAttribute("width", width);
  copy.setAttribute("height", whole);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

function save(name, type, text) {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function button(form, what, act) {
  const made = make("button", { type: "button", class: "save", "aria-label": `Save ${what} as ${form}` }, form);
  made.addEventListener("click", act);
  return made;
}

function savePicture(figure) {
  const drawing = all("svg", figure).find((found) => getComputedStyle(found).display !== "none" && found.viewBox.baseVal);
  save(`${figure.dataset.name}.svg`, "image/svg+xml", drawingAsSvg(drawing, titleOf(figure), keyOf(figure, drawing)));
}

for (const figure of all("figure[data-name]")) {
  figure.append(button("SVG", figure.dataset.name, () => savePicture(figure)));
}
for (const table of all("table[data-name]")) {
  const { name } = table.dataset;
  table.parentElement.after(button("CSV", name, () => save(`${name}.csv`, "text/csv", asCsv(rowsOf(table)))));
}
