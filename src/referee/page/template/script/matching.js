// Whether a text has all the words that are looked for, however they are written: F-score is f_score.
export const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/[\p{M}\-_'’]/gu, "");
export const hasWords = (text, words) => plain(words).split(/\s+/).every((word) => text.includes(word));
