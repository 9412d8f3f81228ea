// What the page's sections gave to their scripts.
import { one } from "./dom.js";

export const data = JSON.parse(one("#data").textContent);
