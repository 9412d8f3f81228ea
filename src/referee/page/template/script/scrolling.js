// A table that is wider than the page says so, and is scrolled by keys, too; one that is not is no stop for Tab.
import { all, make } from "./dom.js";

const hints = new Map(all(".scroll").map((box) => [box, make("p", { class: "goes-on screen-only", "aria-hidden": "true", hidden: "" }, "scroll right →")]));

function reachable() {
  for (const [box, hint] of hints) {
    const room = box.scrollWidth - box.clientWidth;
    if (room > 0) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
    hint.hidden = box.scrollLeft >= room - 1;
    box.classList.toggle("more", !hint.hidden);
  }
}

for (const [box, hint] of hints) {
  box.after(hint);
  box.addEventListener("scroll", reachable, { passive: true });
}
reachable();
addEventListener("resize", reachable);
addEventListener("toggle", reachable, true);
addEventListener("change", reachable);
