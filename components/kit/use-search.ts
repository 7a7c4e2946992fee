"use client";

import {
  createSerializer,
  type Nullable,
  type ParserMap,
  type UseQueryStatesKeysMap,
  useQueryStates,
  type Values,
} from "nuqs";
import { useCallback, useMemo } from "react";

/**
 * A link within the page: `follow` handles a click, `href` is for another tab. `opens` are the
 * values it puts into the URL; `isOpen` says whether they are there. `switches` says whether others
 * are, which `replace` then keeps out of the history.
 */
export type PageLink = {
  href: string;
  follow: () => void;
  replace: () => void;
  opens: string;
  isOpen: boolean;
  switches: boolean;
};

/**
 * The state in a page's URL: its filters and what is open. `filters` are the names of the list's
 * filters. `set` replaces the URL; `linkTo` adds to the history, so that Back closes what it
 * opened.
 */
export function useSearch<Parsers extends UseQueryStatesKeysMap>(
  parsers: Parsers,
  filters: readonly (keyof Parsers & string)[] = [],
) {
  type Change = Partial<Nullable<Values<Parsers>>>;
  const [search, setSearch] = useQueryStates(parsers);
  const serialize = useMemo(() => createSerializer(parsers as unknown as ParserMap), [parsers]);
  const set = useCallback((change: Change) => setSearch(change), [setSearch]);
  const linkTo = useCallback(
    (change: Change): PageLink => {
      const values = Object.entries(change);
      return {
        href: serialize({ ...search, ...change }),
        follow: () => void setSearch(change, { history: "push" }),
        replace: () => void setSearch(change),
        opens: values.map(([, value]) => value).join(),
        isOpen: values.every(([name, value]) => search[name] === value),
        switches: values.some(([name]) => search[name] !== (parsers[name]?.defaultValue ?? null)),
      };
    },
    [search, setSearch, serialize, parsers],
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
