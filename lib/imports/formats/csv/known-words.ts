const WORDS_KEPT = 1_000;

/** Keeps the answers about the words of a column, because few words repeat in many rows. */
export function knownWords<Answer>(ask: (word: string) => Answer): (word: string) => Answer {
  const known = new Map<string, Answer>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined || known.has(word)) return before as Answer;
    const answer = ask(word);
    if (known.size < WORDS_KEPT) known.set(word, answer);
    return answer;
  };
}
