import {
  createParser,
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { parseAsId, parseAsMoment } from "#components/kit/search-params.ts";
import { SLA_SORTS } from "#lib/exceptions/contract.ts";
import { FACET_NAMES, FACETS, type Facet } from "#lib/exceptions/filters/contract.ts";
import { FACET_STATES } from "#lib/exceptions/sla/contract.ts";

const valuesOf = <Value extends string>(isValue: (value: string) => value is Value) =>
  parseAsArrayOf(
    createParser<Value>({
      parse: (text) => (isValue(text) ? text : null),
      serialize: String,
    }),
  );

type Value<Name extends Facet> = (typeof FACETS)[Name] extends {
  isValue: (value: string) => value is infer One extends string;
}
  ? One
  : never;

const facets = Object.fromEntries(
  FACET_NAMES.map((name) => [
    name,
    valuesOf(FACETS[name].isValue as (value: string) => value is string),
  ]),
) as { [Name in Facet]: ReturnType<typeof valuesOf<Value<Name>>> };

/**
 * The state in the board's URL: what is listed, the API's filters (each with several values), and
 * the open exception.
 */
export const boardSearch = {
  state: parseAsStringLiteral(FACET_STATES).withDefault("open"),
  ...facets,
  amount_from: parseAsInteger,
  due_before: parseAsMoment,
  breached_from: parseAsMoment,
  breached_before: parseAsMoment,
  closed_from: parseAsMoment,
  closed_before: parseAsMoment,
  q: parseAsString,
  sortBy: parseAsStringLiteral(SLA_SORTS).withDefault("due_at"),
  /** Whether breached rows are listed with the rest; null: only if nothing else is open. */
  breached: parseAsBoolean,
  charts: parseAsBoolean.withDefault(false),
  exception: parseAsId("exc"),
  /** Whether one is being created. */
  new: parseAsBoolean.withDefault(false),
};

export type BoardSearch = inferParserType<typeof boardSearch>;

/** Times in the past, which views don't store. */
export const PAST_FILTERS = [
  "breached_from",
  "breached_before",
  "closed_from",
  "closed_before",
] as const;

/** All filters in the URL; those with counts first. */
export const FILTERS = [...FACET_NAMES, "amount_from", "due_before", ...PAST_FILTERS, "q"] as const;
