// On paper nothing can be unfolded, so everything is that does not fill pages.
import { all } from "./dom.js";

let folded = [];
addEventListener("beforeprint", () => {
  folded = all("details:not([open]):not(.long)");
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
});
