"use client";

import { createSerializer, type Nullable, type ParserMap, type UseQueryStatesKeysMap, useQueryStates, type Values } from "nuqs";
import { useCallback, useMemo } from "react";

/** A link within the page: followed here by `follow`, and by its address in another tab. */
export type PageLink = { href: string; follow: () => void };

/**
 * What a page's address asks for: its filters, and what is open on it. `filters`: the names of those that narrow a list down.
 * `set` replaces the address; what is opened by `linkTo` is gone back from.
 */
export function useSearch<Parsers extends UseQueryStatesKeysMap>(parsers: Parsers, filters: readonly (keyof Parsers & string)[] = []) {
  type Change = Partial<Nullable<Values<Parsers>>>;
  const [search, setSearch] = useQueryStates(parsers);
  const serialize = useMemo(() => createSerializer(parsers as unknown as ParserMap), [parsers]);
  const set = useCallback((change: Change) => setSearch(change), [setSearch]);
  const linkTo = useCallback(
    (change: Change): PageLink => ({
      href: serialize({ ...search, ...change }),
      follow: () => void setSearch(change, { history: "push" }),
    }),
    [search, setSearch, serialize],
  );
  const none = Object.fromEntries(filters.map((name) => [name, null])) as Change;
  return {
    search,
    set,
    linkTo,
    isFiltered: filters.some((name) => search[name] !== (parsers[name]?.defaultValue ?? null)),
    clear: () => void set(none),
  };
}
