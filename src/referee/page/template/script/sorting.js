// Tables that can be sorted get a button in each head.
import { cellValue } from "./cells.js";
import { all, make, one } from "./dom.js";

const isKnown = (text) => text !== "" && text !== "–";
const valueOf = (text) => (isKnown(text) ? Number(text.replaceAll(",", "").replace(/ ?%$/, "")) : NaN);
const alphabet = new Intl.Collator("en", { numeric: true });

// Numbers in their order, then texts in theirs.
export function inOrder(a, b) {
  const [x, y] = [valueOf(a), valueOf(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return alphabet.compare(a, b);
}

function sortBy(table, place, head) {
  const falling = head.getAttribute("aria-sort") === "ascending";
  for (const other of all("thead th", table)) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const body = one("tbody", table);
  const rows = [...body.rows].map((row) => [cellValue(row.cells[place]), row]);
  const turn = falling ? -1 : 1;
  rows.sort(([a], [b]) => isKnown(b) - isKnown(a) || turn * inOrder(a, b)); // what is undefined is last both ways
  body.replaceChildren(...rows.map(([, row]) => row));
}

for (const table of all("table[data-sortable]")) {
  all("thead th", table).forEach((head) => {
    const button = make("button", { type: "button" }, ...head.childNodes);
    button.addEventListener("click", () => sortBy(table, head.cellIndex, head));
    head.append(button);
  });
}
