// Numbers as the rest of the report writes them: what `referee.document.words` does in Python.
const MOST_DIGITS = 100; // that browsers give: enough for every digit of a float where a half is possible

// A half goes to the even digit, as in Python; toFixed and toExponential take it up.
function rounded(size, form, digits) {
  const text = size[form](digits);
  const isHalf = /^50*(e|$)/.test(size[form](MOST_DIGITS).split(".")[1].slice(digits));
  return isHalf ? text.replace(/^([\d.]*)([13579])(?=e|$)/, (_, kept, odd) => kept + (odd - 1)) : text;
}

const grouped = (text) => text.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

// So many significant digits, without zeros at the end; very small and very large ones with an exponent.
function significant(size, digits) {
  const [factor, power] = rounded(size, "toExponential", digits - 1).split("e").map(Number);
  if (power >= -4 && power < digits) return grouped(withoutZeros(rounded(size, "toFixed", digits - 1 - power)));
  return `${factor}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

const signed = (value, write) => (value < 0 ? "-" : "") + write(Math.abs(value));

export function number(value, digits = 4) {
  if (value === null || Number.isNaN(value)) return "–";
  return signed(value, (size) => {
    if (size === Infinity) return "inf";
    if (size && (size < 1e-4 || size >= 1e6)) return significant(size, digits);
    const after = size < 10 ? digits : Math.max(0, digits - String(Math.trunc(size)).length);
    return grouped(rounded(size, "toFixed", after));
  });
}

export const count = (value) => signed(value, (size) => (Number.isInteger(size) ? grouped(size.toFixed(0)) : significant(size, 6)));

// Two digits, and more only to tell it from an alpha.
const ROUND = [0.01, 0.05, 0.1, 1];
export function pValue(p) {
  if (p < 1e-4) return "p < 0.0001";
  const texts = [2, 3, 4, 5].map((digits) => significant(p, digits));
  return `p = ${texts.find((text) => ROUND.includes(p) || !ROUND.includes(Number(text))) ?? texts[0]}`;
}
