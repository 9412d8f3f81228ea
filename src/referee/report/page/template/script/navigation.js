// The navigation marks the section that is being read.
import { all } from "./dom.js";

const links = new Map(all(".bar nav a").map((link) => [link.hash.slice(1), link]));
const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(target.id)?.setAttribute("aria-current", "true");
    }
  },
  { rootMargin: "-20% 0px -70% 0px" },
);
for (const key of links.keys()) watcher.observe(document.getElementById(key));
