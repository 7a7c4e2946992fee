import {
  type inferParserType,
  parseAsBoolean,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { parseAsId } from "#components/kit/search-params.ts";
import { SOURCE_KINDS } from "#lib/sources/contract.ts";

/** The list's URL: the filters of GET /v1/sources, and whether one is being created. */
export const sourceSearch = {
  kind: parseAsStringLiteral(SOURCE_KINDS),
  q: parseAsString.withDefault(""),
  new: parseAsBoolean.withDefault(false),
};

/** A source's URL: the import that is open. */
export const sourcePageSearch = { import: parseAsId("imp") };

export type SourceSearch = inferParserType<typeof sourceSearch>;
