// Tables that can be sorted get a button in each head.
import { all, make, one } from "./dom.js";

export const cellValue = (cell) => cell.dataset.value ?? cell.textContent.trim();

export function inOrder(a, b) {
  const [x, y] = [a, b].map((text) => (text === "" || text === "–" ? NaN : Number(text.replaceAll(",", "").replace(/ ?%$/, ""))));
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return a.localeCompare(b);
}

function sortBy(table, place, head) {
  const falling = head.getAttribute("aria-sort") === "ascending";
  for (const other of all("thead th", table)) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const body = one("tbody", table);
  const rows = [...body.rows].sort((a, b) => inOrder(cellValue(a.cells[place]), cellValue(b.cells[place])));
  body.append(...(falling ? rows.reverse() : rows));
}

for (const table of all("table[data-sortable]")) {
  all("thead th", table).forEach((head, place) => {
    const button = make("button", { type: "button" }, ...head.childNodes);
    button.addEventListener("click", () => sortBy(table, place, head));
    head.append(button);
  });
}
