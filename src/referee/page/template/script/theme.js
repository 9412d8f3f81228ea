// Light or dark: as the system has it, until the reader says otherwise.
import { one } from "./dom.js";

const toggle = one("#theme");
const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function nameTheme() {
  toggle.textContent = isDark() ? "Light" : "Dark";
  toggle.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
}

toggle.hidden = false;
nameTheme();
toggle.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
