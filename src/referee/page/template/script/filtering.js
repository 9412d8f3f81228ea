// Cards and rows that do not have what is asked for are hidden; a link to a hidden card shows it again.
import { all, make, one } from "./dom.js";
import { hasWords, plain } from "./matching.js";

const LONG = 50; // rows, above which a table can be searched

export function fits(card, asked) {
  const { words, ...properties } = asked;
  const has = Object.entries(properties).every(([key, value]) => !value || card.properties[key].includes(value));
  return has && hasWords(card.text, words);
}

// Hide what does not fit what the fields say, and count what does.
function filtered(fields, status, entries) {
  const filter = () => {
    const asked = Object.fromEntries(fields.map((field) => [field.name, field.value]));
    for (const entry of entries) entry.shown.hidden = !fits(entry, asked);
    const left = entries.filter((entry) => !entry.shown.hidden).length;
    status.textContent = left ? `${left.toLocaleString("en")} of ${entries.length.toLocaleString("en")}` : "Nothing matches.";
  };
  for (const field of fields) field.addEventListener("input", filter);
  filter();
  return filter;
}

for (const controls of all("[data-filters]")) {
  const fields = all("input, select", controls);
  const cards = all("article[data-properties]", controls.parentNode).map((shown) => ({
    shown,
    text: plain(shown.textContent),
    properties: JSON.parse(shown.dataset.properties),
  }));
  const filter = filtered(fields, one("[role=status]", controls), cards);
  const reset = () => {
    for (const field of fields) field.value = "";
    filter();
  };
  one("button", controls).addEventListener("click", reset);
  addEventListener("hashchange", () => {
    reset();
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  });
  controls.hidden = false;
}

for (const table of all("table[data-name]").filter((found) => found.tBodies[0].rows.length > LONG)) {
  const field = make("input", { type: "search", name: "words", autocomplete: "off" });
  const status = make("p", { class: "quiet", role: "status" });
  const rows = [...table.tBodies[0].rows].map((shown) => ({
    shown,
    text: plain(all("th, .words", shown).map((cell) => `${cell.textContent} ${cell.dataset.value ?? ""}`).join(" ")),
    properties: {},
  }));
  filtered([field], status, rows);
  table.parentElement.before(make("div", { class: "controls screen-only" }, make("label", {}, "Search", field), status));
}
