import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { parseAsMatching } from "#components/kit/search-params.ts";

/**
 * The page's URL: the search, whether it's the bin, and the open record ("new" while creating one).
 */
export const recordSearch = {
  q: parseAsString.withDefault(""),
  view: parseAsStringLiteral(["bin"]),
  record: parseAsMatching(/^(?:rec_[0-9a-z]{20,40}|new)$/),
};

export type RecordSearch = inferParserType<typeof recordSearch>;
