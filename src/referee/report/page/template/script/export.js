// Every figure can be saved as SVG and every table as CSV.
import { all, make, one } from "./dom.js";
import { cellValue } from "./sorting.js";

const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-size", "font-weight", "font-family", "display"];

// A spreadsheet would take a text that begins like this for a formula.
const defused = (text) => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export function tableAsCsv(table) {
  const rows = [...table.rows].map((row) => [...row.cells].map((cell) => quoted(defused(cellValue(cell)))));
  return rows.map((row) => `${row.join(",")}\n`).join("");
}

export function drawingAsSvg(drawing) {
  const copy = drawing.cloneNode(true);
  const originals = [drawing, ...all("*", drawing)];
  [copy, ...all("*", copy)].forEach((element, place) => {
    const style = getComputedStyle(originals[place]);
    for (const property of KEPT) element.setAttribute(property, style.getPropertyValue(property));
    element.removeAttribute("tabindex");
  });
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
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

const shown = (figure) => all("svg", figure).find((drawing) => getComputedStyle(drawing).display !== "none" && drawing.viewBox.baseVal);
for (const figure of all("figure[data-name]")) {
  const name = `${figure.dataset.name}.svg`;
  figure.append(button("SVG", figure.dataset.name, () => save(name, "image/svg+xml", drawingAsSvg(shown(figure)))));
}
for (const table of all("table[data-name]")) {
  const name = `${table.dataset.name}.csv`;
  table.parentElement.after(button("CSV", table.dataset.name, () => save(name, "text/csv", tableAsCsv(table))));
}
