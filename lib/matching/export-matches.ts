import type { z } from "zod";
import type { Context } from "../request/context.ts";
import type { listMatchesContract, Match, MatchRow } from "./contract.ts";
import { listMatches } from "./list-matches.ts";

/** What arrives is read at once, beside what others wait for. */
const PAGE_MATCHES = 250;

/** Every match that the filters leave, newest first: a row for each of its lines. */
export async function* exportMatches(
  ctx: Context,
  id: string,
  filters: z.output<typeof listMatchesContract.query>,
): AsyncGenerator<MatchRow[]> {
  let step = ctx;
  let cursor: string | undefined;
  do {
    const page = await listMatches(step, id, { ...filters, limit: PAGE_MATCHES, cursor });
    yield page.items.flatMap((match) => rowsOf(match as Match));
    cursor = page.next_cursor ?? undefined;
    step = { ...ctx, exported: null, continues: true };
  } while (cursor);
}

function rowsOf({ id, members, state, shape, method, score, currency, residual_minor, note, decided_by, decided_at, created_at }: Match) {
  const common = { match_id: id, state, shape, method, score, currency, residual_minor, note, decided_by, decided_at, created_at };
  return members.map(({ allocated_minor, value_date = null, reference = null, counterparty = null, side, line_id }): MatchRow => {
    return { ...common, side, line_id, amount_minor: allocated_minor, value_date, reference, counterparty };
  });
}
