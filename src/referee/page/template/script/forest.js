// The forest plot of differences, drawn as Python draws it.
import { draw } from "./dom.js";
import { number } from "./numbers.js";

const FAR = 4;
const WIDE = { width: 780, left: 170, right: 215, step: 44, first: 26, ticks: 6, name: 23 };
const NARROW = { width: 360, left: 6, right: 14, step: 76, first: 62, ticks: 4, name: 16 };

export const signedNumber = (value) => (value >= 0 ? "+" : "") + number(value);
const ends = (row) => [row.value, row.low, row.high].filter((end) => end !== null);
const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// The ends of all rows that are not far off the first ones.
function spanOfRows(rows, lines) {
  let shown = [...lines];
  for (const [place, row] of rows.entries()) {
    const wider = [...shown, ...ends(row)];
    const [span, before] = [wider, shown].map((values) => Math.max(...values) - Math.min(...values));
    if (place >= 2 && before && span > FAR * before) break;
    shown = wider;
  }
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const room = (high - low) * 0.04 || Math.abs(high) * 0.04 || 0.04;
  return [low - room, high + room];
}

export function roundTicks(low, high, wanted) {
  const step = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(step));
  const round = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => step <= size * 1.001);
  const [first, last] = [Math.ceil(low / round - 1e-9), Math.floor(high / round + 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, place) => Number(((first + place) * round).toPrecision(12)));
}

function words(text, x, y, style, anchor = "start") {
  return draw("text", { x, y, class: style, "text-anchor": anchor }, text);
}

function mark(row, x, y, shapes) {
  const style = `dot ${row.look}`;
  const corners = shapes[row.place % shapes.length];
  if (!corners.length) return draw("circle", { cx: x, cy: y, r: 6, class: style });
  return draw("polygon", { points: corners.map(([dx, dy]) => `${x + 6 * dx},${y + 6 * dy}`).join(" "), class: style });
}

function rowParts(row, y, frame, x, [low, high], shapes) {
  const [strong, right] = [row.chosen ? "label strong" : "label", frame.width - frame.right + 22];
  const said = `${signedNumber(row.value)}${row.low === null ? "" : ` [${number(row.low)}, ${number(row.high)}]`}`;
  const label = cut(row.label, frame.name);
  const parts = frame === WIDE
    ? [words(label, 0, y + 4, strong), words(said, right, y - 2, "label"), words(cut(row.state, 34), right, y + 13, "")]
    : [words(`${label}  ${said}`, 2, y - 31, `${strong} halo`), words(cut(row.state, 34), 2, y - 15, "halo")];
  if (row.value < low || row.value > high) {
    const below = row.value < low;
    return [...parts, words(below ? "← far off this scale" : "far off this scale →", below ? x(low) + 8 : x(high) - 8, y + 4, "", below ? "start" : "end")];
  }
  if (row.low !== null) {
    const [from, to] = [Math.max(row.low, low), Math.min(row.high, high)];
    parts.push(draw("line", { x1: x(from), x2: x(to), y1: y, y2: y, class: `interval ${row.look}` }));
  }
  return [...parts, mark(row, x(row.value), y, shapes)];
}

// Lines have names, one below the other: [[name, value], ...].
function lineParts(lines, x, bottom, frame) {
  const atEnd = lines.some(([, value]) => x(value) > frame.width - frame.right - 90);
  const ordered = [...lines].sort((a, b) => (atEnd ? a[1] - b[1] : b[1] - a[1]));
  return ordered.flatMap(([name, value], place) => {
    const y = bottom + 31 + 14 * place;
    const line = draw("line", { x1: x(value), x2: x(value), y1: 8, y2: bottom, class: "reference" });
    const lead = draw("line", { x1: x(value), x2: x(value), y1: bottom + 19, y2: y - 11, class: "reference" });
    return [line, lead, words(name, x(value), y, "", atEnd ? "end" : lines.length > 1 ? "start" : "middle")];
  });
}

export function drawForest(drawing, rows, lines, shapes) {
  const frame = drawing.classList.contains("wide") ? WIDE : NARROW;
  const span = spanOfRows(rows, lines.map(([, value]) => value));
  const [start, end] = [frame.left, frame.width - frame.right];
  const x = (value) => start + ((value - span[0]) / (span[1] - span[0])) * (end - start);
  const bottom = frame.first + (rows.length - 1) * frame.step + 30;
  const ticks = roundTicks(...span, frame.ticks).flatMap((value) => [
    draw("line", { x1: x(value), x2: x(value), y1: 6, y2: bottom, class: "grid" }),
    words(String(value), x(value), bottom + 15, "", "middle"),
  ]);
  const drawn = rows.flatMap((row, place) => rowParts(row, frame.first + place * frame.step, frame, x, span, shapes));
  drawing.replaceChildren(...ticks, ...lineParts(lines, x, bottom, frame), ...drawn);
  drawing.setAttribute("viewBox", `0 0 ${frame.width} ${bottom + 24 + 14 * lines.length}`);
}
