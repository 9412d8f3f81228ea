// Confusion matrices: the classes by name, by their rows, or by the share that is not recognised.
import { all, make, one } from "./dom.js";

const WORTH = {
  "by name": (_row, place) => place,
  "most rows first": (row) => -Number(row.cells[row.cells.length - 2].dataset.value),
  "lowest recall first": (row) => Number(row.cells[row.cells.length - 1].dataset.value || 2),
};

function orderClasses(table, rows, how) {
  const places = rows.map((row, place) => [WORTH[how](row, place), place]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const order = places.map(([, place]) => place);
  for (const { row, cells } of table.kept) {
    const [name, classes, rest] = [cells.slice(0, 1), cells.slice(1, 1 + order.length), cells.slice(1 + order.length)];
    row.replaceChildren(...name, ...order.map((place) => classes[place]), ...rest);
  }
  one("tbody", table).prepend(...order.map((place) => rows[place]));
}

for (const table of all("table.confused")) {
  table.kept = [...table.rows].map((row) => ({ row, cells: [...row.cells] }));
  const rows = [...table.tBodies[0].rows].slice(0, -1);
  if (rows.length < 3) continue;
  const choice = make("select");
  for (const how of Object.keys(WORTH)) choice.append(new Option(how));
  choice.addEventListener("change", () => orderClasses(table, rows, choice.value));
  table.parentElement.before(make("div", { class: "controls screen-only" }, make("label", {}, "Order of the classes", choice)));
}
