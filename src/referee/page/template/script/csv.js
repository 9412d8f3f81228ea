// Rows of texts as CSV.

// A spreadsheet would take a text that begins like this for a formula.
export const defused = (text) => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
export const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// Excel reads UTF-8 only behind a mark, and others stumble over one: it is there where it is needed.
export function asCsv(rows) {
  const text = rows.map((row) => `${row.map((cell) => quoted(defused(cell))).join(",")}\n`).join("");
  return /[^\x00-\x7f]/.test(text) ? `\ufeff${text}` : text;
}
