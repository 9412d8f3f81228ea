// A table that is wider than the page is scrolled by keys, too; one that is not is no stop for Tab.
import { all } from "./dom.js";

function reachable() {
  for (const box of all(".scroll")) {
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
  }
}

reachable();
addEventListener("resize", reachable);
addEventListener("toggle", reachable, true);
addEventListener("change", reachable);
