import { createParser, createSerializer, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";

const RECORD_ID = /^(?:rec_[0-9a-z]{20,40}|new)$/;

/** The page's address: the words searched for, the bin, and the record that is open, "new" being one to be. */
export const recordSearch = {
  q: parseAsString.withDefault(""),
  view: parseAsStringLiteral(["bin"]),
  record: createParser({ parse: (value) => (RECORD_ID.test(value) ? value : null), serialize: String }),
};

export type RecordSearch = inferParserType<typeof recordSearch>;

export const serializeRecordSearch = createSerializer(recordSearch);
