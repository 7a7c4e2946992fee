import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Reconciliation } from "../reconciliations/contract.ts";
import type { Context } from "../request/context.ts";
import { everyPage } from "../request/every-page.ts";
import type { Exported } from "../wire/contract.ts";
import { decimalText } from "../wire/decimal-text.ts";
import { periodFileName } from "../wire/period-name.ts";
import type { listMatchesContract, Match, MatchRow } from "./contract.ts";
import { listMatches } from "./list-matches.ts";

type Filters = z.output<typeof listMatchesContract.query>;

/** Every match that the filters select, newest first: a row for each of its lines. */
export async function exportMatches(ctx: Context, id: string, filters: Filters): Promise<Exported> {
  // Without an event: the first page records the export.
  const step = { ...ctx, exported: null, continues: true };
  const period = await read<Reconciliation>(step, "get_reconciliation", { id });
  return { pages: pagesOf(ctx, id, filters), name: periodFileName("matches", period) };
}

async function* pagesOf(ctx: Context, id: string, filters: Filters): AsyncGenerator<MatchRow[]> {
  for await (const matches of everyPage(ctx, (step, page) =>
    listMatches(step, id, { ...filters, ...page }),
  ))
    yield matches.flatMap((match) => rowsOf(match as Match));
}

function rowsOf({
  id,
  members,
  state,
  shape,
  method,
  score,
  currency,
  residual_minor,
  note,
  decided_by,
  decided_at,
  created_at,
}: Match) {
  const common = {
    match_id: id,
    state,
    shape,
    method,
    score,
    currency,
    residual: decimalText(residual_minor, currency),
    residual_minor,
    note,
    decided_by,
    decided_at,
    created_at,
  };
  return members.map(
    ({
      allocated_minor,
      value_date = null,
      reference = null,
      counterparty = null,
      side,
      line_id,
    }): MatchRow => {
      return {
        ...common,
        side,
        line_id,
        amount: decimalText(allocated_minor, currency),
        amount_minor: allocated_minor,
        value_date,
        reference,
        counterparty,
      };
    },
  );
}
