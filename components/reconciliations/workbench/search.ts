import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { parseAsId } from "#components/kit/search-params.ts";
import { OPEN_LINE_SORTS } from "#lib/matching/workbench/contract.ts";

/** The workbench's URL: the filters of both lists, and the line it opens with. */
export const workbenchSearch = {
  q: parseAsString,
  sort: parseAsStringLiteral(OPEN_LINE_SORTS).withDefault("value_date"),
  suggested: parseAsStringLiteral(["true", "false"]),
  currency: parseAsString,
  line: parseAsId("lin"),
};

export type WorkbenchSearch = inferParserType<typeof workbenchSearch>;
