// Buttons that copy a text; where the clipboard is not to be had, the text is selected instead.
import { all, make } from "./dom.js";

async function copyText(source, button) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = "Selected: press Ctrl+C";
  }
}

for (const source of all("[data-copy]")) {
  const button = make("button", { type: "button", class: "screen-only" }, source.dataset.copy);
  button.addEventListener("click", () => copyText(source, button));
  source.before(button);
}
