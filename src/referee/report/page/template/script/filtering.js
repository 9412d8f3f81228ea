// Cards that do not have what is asked for are hidden; a link to a hidden card shows it again.
import { all, one } from "./dom.js";

export function fits(card, asked) {
  const { words, ...properties } = asked;
  const has = Object.entries(properties).every(([key, value]) => !value || card.properties[key].includes(value));
  return has && words.toLowerCase().split(/\s+/).every((word) => card.text.includes(word));
}

for (const controls of all("[data-filters]")) {
  const fields = all("input, select", controls);
  const cards = all("article[data-properties]", controls.parentNode).map((shown) => ({
    shown,
    text: shown.textContent.toLowerCase(),
    properties: JSON.parse(shown.dataset.properties),
  }));
  const filter = () => {
    const asked = Object.fromEntries(fields.map((field) => [field.name, field.value]));
    for (const card of cards) card.shown.hidden = !fits(card, asked);
    const left = cards.filter((card) => !card.shown.hidden).length;
    one("[role=status]", controls).textContent = `${left} of ${cards.length}`;
  };
  const showAll = () => {
    for (const field of fields) field.value = "";
    filter();
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  };
  for (const field of fields) field.addEventListener("input", filter);
  addEventListener("hashchange", showAll);
  controls.hidden = false;
  filter();
}
