import { z } from "zod";
import { readPage } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import { type listOpenLinesContract, type OpenLine, openLine } from "./contract.ts";

type Contract = typeof listOpenLinesContract;

const ORDERS = {
  value_date: { name: "value_date", key: z.tuple([openLine.shape.value_date, openLine.shape.id]) },
  amount: { name: "amount", key: z.tuple([z.string().regex(/^-?\d{1,16}$/), openLine.shape.id]) },
} as const;

export function listOpenLines(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<OpenLine>(ctx, "list_open_lines", ORDERS[query.sort], { ...query, id });
}
