/** Who did something, and under which name. */
type By = { actor: string; actor_issuer: string | null; actor_subject: string | null };

export type Entry<Of> = { key: string; at: string; by: By; entry: Of };

/** Newest first. `isWhole`: no older ones are left to load. */
export type Stream<Of> = { entries: readonly Entry<Of>[]; isWhole: boolean };

/** Two streams as one, newest first, as far back as both are loaded: what is older would fill up later, above what was read. */
export function inOneStream<Of>(...streams: readonly Stream<Of>[]): {
  entries: Entry<Of>[];
  hasOlder: boolean;
} {
  const horizon = streams.reduce((latest, { entries, isWhole }) => {
    const oldest = entries.at(-1)?.at;
    return isWhole || oldest === undefined || oldest < latest ? latest : oldest;
  }, "");
  const all = streams
    .flatMap(({ entries }) => entries)
    .sort((left, right) => (left.at < right.at ? 1 : left.at > right.at ? -1 : 0));
  const entries = numbered(all.filter(({ at }) => at >= horizon));
  return {
    entries,
    hasOlder: streams.some(({ isWhole }) => !isWhole) || entries.length < all.length,
  };
}

/** Two changes of one request can be alike in all that tells them apart: the second of them is another all the same. */
function numbered<Of>(entries: readonly Entry<Of>[]): Entry<Of>[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const before = seen.get(entry.key) ?? 0;
    seen.set(entry.key, before + 1);
    return before === 0 ? entry : { ...entry, key: `${entry.key} ${before + 1}` };
  });
}
