// What the cells of a table hold: the value in full, and the note below it.
import { one } from "./dom.js";

const besideNote = (cell) => [...cell.childNodes].filter((node) => node.nodeName !== "SMALL");
const firstLine = (cell) => besideNote(cell).map((node) => node.textContent).join("").trim();

export const cellValue = (cell) => cell.dataset.value ?? firstLine(cell);
export const cellNote = (cell) => one("small", cell)?.textContent.trim() ?? "";

// A column whose cells have notes becomes two.
export function rowsOf(table) {
  const rows = [...table.rows].map((row) => [...row.cells]);
  const noted = rows[0].map((_, place) => rows.some((row) => row[place] && cellNote(row[place])));
  return rows.map((row, top) =>
    row.flatMap((cell, place) => {
      if (!noted[place]) return [cellValue(cell)];
      return [cellValue(cell), top ? cellNote(cell) : `${cellValue(cell)}: note`];
    }),
  );
}
