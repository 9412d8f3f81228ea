// The navigation marks the section that is being read, and works in a notebook, too.
import { all, one } from "./dom.js";

const links = new Map(all(".bar nav a").map((link) => [link.hash.slice(1), link]));
const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      const current = links.get(target.id);
      current.setAttribute("aria-current", "true");
      current.parentElement.scrollLeft = current.offsetLeft - current.parentElement.offsetLeft - 60;
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

// What does not fit fades out at the side where there is more, and the section that is being read is in sight.
const menu = one(".bar nav");
function fade() {
  const room = menu.scrollWidth - menu.clientWidth;
  menu.classList.toggle("more", menu.scrollLeft < room - 1);
  menu.classList.toggle("before", menu.scrollLeft > 1);
}
menu.addEventListener("scroll", fade, { passive: true });
addEventListener("resize", fade);
fade();
