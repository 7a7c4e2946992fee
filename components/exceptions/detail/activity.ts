/** The actor of an entry and their identity. */
type By = { actor: string; actor_issuer: string | null; actor_subject: string | null };

export type Entry<Of> = { key: string; at: string; by: By; entry: Of };

/** Newest first. `isWhole` says that no older entries are left to load. */
export type Stream<Of> = { entries: readonly Entry<Of>[]; isWhole: boolean };

/**
 * Merges streams, newest first, as far back as all are loaded: older entries would later be
 * inserted above what was read.
 */
export function mergeStreams<Of>(...streams: readonly Stream<Of>[]): {
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

/** Numbers entries with the same key, since two changes of one request can look the same. */
function numbered<Of>(entries: readonly Entry<Of>[]): Entry<Of>[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const before = seen.get(entry.key) ?? 0;
    seen.set(entry.key, before + 1);
    return before === 0 ? entry : { ...entry, key: `${entry.key} ${before + 1}` };
  });
}
