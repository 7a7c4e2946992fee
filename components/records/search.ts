import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { parseAsMatching } from "#components/kit/search-params.ts";

/** The page's address: the words searched for, the bin, and the record that is open, "new" being one to be. */
export const recordSearch = {
  q: parseAsString.withDefault(""),
  view: parseAsStringLiteral(["bin"]),
  record: parseAsMatching(/^(?:rec_[0-9a-z]{20,40}|new)$/),
};

export type RecordSearch = inferParserType<typeof recordSearch>;
