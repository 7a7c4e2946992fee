import { type inferParserType, parseAsInteger, parseAsStringLiteral } from "nuqs/server";
import { ENTRY_BATCH_STATES } from "#lib/entries/contract.ts";

export const batchSearch = {
  state: parseAsStringLiteral(ENTRY_BATCH_STATES),
  year: parseAsInteger,
};
export type BatchSearch = inferParserType<typeof batchSearch>;
