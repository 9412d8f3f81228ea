// What every other module needs: finding, making and reading.
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const one = (selector, root = document) => root.querySelector(selector);

export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function draw(name, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export const data = JSON.parse(one("#data").textContent);

// Numbers as the rest of the report writes them: four digits.
export function number(value) {
  if (value === null || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size && (size < 1e-4 || size >= 1e6)) return value.toExponential(2);
  if (size < 10) return value.toFixed(4);
  const digits = Math.max(0, 4 - String(Math.trunc(size)).length);
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export const count = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 2 });
