const MAX_CACHED_WORDS = 1_000;

/** Caches a function of the words in a column, because a few words repeat in many rows. */
export function memoizeWords<Result>(compute: (word: string) => Result): (word: string) => Result {
  const cache = new Map<string, Result>();
  return (word) => {
    const cached = cache.get(word);
    if (cached !== undefined || cache.has(word)) return cached as Result;
    const result = compute(word);
    if (cache.size < MAX_CACHED_WORDS) cache.set(word, result);
    return result;
  };
}
