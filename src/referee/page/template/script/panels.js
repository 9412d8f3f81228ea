// A group of panels, one for each model, of which one is shown; without this script all are.
import { all, make, one } from "./dom.js";

for (const group of all("[data-panels]")) {
  const panels = all("[data-panel]", group);
  if (panels.length < 2) continue;
  const choice = make("select");
  panels.forEach((panel, place) => choice.append(new Option(panel.dataset.panel, place)));
  const show = () => panels.forEach((panel, place) => (panel.hidden = place !== Number(choice.value)));
  choice.addEventListener("change", show);
  group.prepend(make("div", { class: "controls screen-only" }, make("label", {}, group.dataset.panels, choice)));
  for (const title of all(".panel-title", group)) title.classList.add("off");
  addEventListener("beforeprint", () => panels.forEach((panel) => (panel.hidden = false)));
  addEventListener("afterprint", show);
  show();
}
