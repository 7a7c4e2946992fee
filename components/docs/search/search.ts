export type Entry = {
  title: string;
  kind: "Guide" | "Operation" | "Resource" | "Event" | "Error";
  place: string;
  href: string;
  text: string;
};

const SHOWN = 12;
const WEIGHTS = { title: 12, start: 6, place: 4, text: 1 };

/** The entries in which every word of the query begins a word, the best first. */
export function search(entries: readonly Entry[], query: string): Entry[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, SHOWN)
    .map(({ entry }) => entry);
}

function scoreOf({ title, place, text }: Entry, words: string[]): number {
  const [inTitle, inPlace, inText] = [title, place, text].map((part) => wordsOf(part ?? ""));
  let score = 0;
  for (const word of words) {
    const begins = (candidate: string) => candidate.startsWith(word);
    const found =
      (inTitle?.some(begins) ? WEIGHTS.title : 0) +
      (inPlace?.some(begins) ? WEIGHTS.place : 0) +
      (inText?.some(begins) ? WEIGHTS.text : 0);
    if (found === 0) return 0;
    score += found;
  }
  return score + (title.toLowerCase().startsWith(words[0] ?? "") ? WEIGHTS.start : 0);
}

/** Splits "createApiKey", "rate_limited" and "/v1/api-keys" into parts, and keeps the original. */
function wordsOf(text: string): string[] {
  const parts = text
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  const whole = text.toLowerCase().split(/[\s,;:()`"]+/);
  return [...new Set([...parts, ...whole])].filter(Boolean);
}
