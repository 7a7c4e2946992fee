import { OPEN_STATUSES } from "#lib/exceptions/contract.ts";
import type { SavedFilters } from "#lib/exceptions/filters/contract.ts";
import type { View } from "#lib/views/contract.ts";
import { type BoardSearch, FILTERS, PAST_FILTERS } from "../board/search.ts";

const SAVED = FILTERS.filter((name) => !PAST_FILTERS.some((past) => past === name));

/** The board's filters in the format of a view. */
export function filtersToSave(search: BoardSearch): SavedFilters {
  const status = OPEN_STATUSES.filter((status) => search.status?.includes(status));
  const entries: [string, unknown][] = SAVED.map((name) => [
    name,
    name === "status" ? status : search[name],
  ]);
  return Object.fromEntries(
    entries.filter(
      ([, value]) =>
        value !== null && value !== "" && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

/** The board with only a view's filters and order. */
export function searchOfView({
  filters,
  sort_by,
}: Pick<View, "filters" | "sort_by">): Partial<BoardSearch> {
  const none = Object.fromEntries(FILTERS.map((name) => [name, null]));
  return { ...none, state: "open", ...(filters as Partial<BoardSearch>), sortBy: sort_by };
}

/** Whether the board shows a view, whatever the order of its values. */
export function showsView({ filters }: Pick<View, "filters">, search: BoardSearch): boolean {
  return (
    search.state === "open" &&
    PAST_FILTERS.every((name) => search[name] === null) &&
    plain(filters) === plain(filtersToSave(search))
  );
}

/** Whether the board's filters or order differ from the view it was opened with. */
export function differsFromView(
  { filters, sort_by }: Pick<View, "filters" | "sort_by">,
  search: BoardSearch,
): boolean {
  const boardFilters = filtersToSave(search);
  return (
    canBeSaved(search) && (plain(filters) !== plain(boardFilters) || sort_by !== search.sortBy)
  );
}

/** Whether the board only has filters that a view can store. */
export function canBeSaved(search: BoardSearch): boolean {
  return search.state === "open" && Object.keys(filtersToSave(search)).length > 0;
}

function plain(filters: object): string {
  const entries = Object.entries(filters).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.toSorted() : value,
  ]);
  return JSON.stringify(
    entries.toSorted(([left], [right]) => String(left).localeCompare(String(right))),
  );
}
