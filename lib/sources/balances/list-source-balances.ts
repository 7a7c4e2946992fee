import { z } from "zod";
import { readPage } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import { type listSourceBalancesContract, type SourceBalance, sourceBalance } from "./contract.ts";

type Contract = typeof listSourceBalancesContract;

const { period_end, id } = sourceBalance.shape;
const NEWEST_FIRST = { name: "period_end", key: z.tuple([period_end, id]) };

export function listSourceBalances(
  ctx: Context,
  sourceId: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<SourceBalance>(ctx, "list_source_balances", NEWEST_FIRST, {
    ...query,
    source_id: sourceId,
  });
}
