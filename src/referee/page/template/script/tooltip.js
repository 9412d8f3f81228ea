// One box that follows the pointer, or the point that the keys have reached.
import { one } from "./dom.js";

const box = one("#tooltip");

export function showTip(x, y, text) {
  box.textContent = text;
  box.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = box;
  box.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
  box.style.top = `${y + 16 + height > innerHeight ? y - height - 10 : y + 16}px`;
}

export function hideTip() {
  box.hidden = true;
}
