import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { parseAsId } from "#components/kit/search-params.ts";
import { OPEN_LINE_SORTS } from "#lib/matching/work/contract.ts";

/** The workbench's URL: the filters of both lists, and the line it opens with. */
export const workbenchSearch = {
  q: parseAsString,
  sort: parseAsStringLiteral(OPEN_LINE_SORTS).withDefault("value_date"),
  suggested: parseAsStringLiteral(["true", "false"]),
  currency: parseAsString,
  line: parseAsId("lin"),
};

export type WorkbenchSearch = inferParserType<typeof workbenchSearch>;

/** A number as people write money becomes the digits of minor units: "1,250.00" → "125000". Other words stay. */
export function wordsOf(q: string): string {
  return q
    .trim()
    .split(/\s+/)
    .map((word) => (/^[-+€$£]*[\d.,]*[.,]\d{2}$/.test(word) ? word.replaceAll(/[^\d-]/g, "").replace(/^(-?)0+(?=\d)/, "$1") : word))
    .join(" ");
}
