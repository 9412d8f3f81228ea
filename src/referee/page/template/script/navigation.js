// The navigation marks the section that is being read, and works in a notebook, too.
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

// In a frame without an address of its own, #x is a place in the notebook: following it would replace the page.
function stay(event) {
  const link = event.target.closest('a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  const target = document.getElementById(link.hash.slice(1));
  target?.setAttribute("tabindex", "-1");
  target?.focus({ preventScroll: true });
  target?.scrollIntoView();
}

if (location.href === "about:srcdoc") document.addEventListener("click", stay);
