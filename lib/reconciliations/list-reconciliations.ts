import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import {
  type listReconciliationsContract,
  type Reconciliation,
  reconciliation,
} from "./contract.ts";

type Contract = typeof listReconciliationsContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([reconciliation.shape.id]) };

export function listReconciliations(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Reconciliation>(ctx, "list_reconciliations", NEWEST_FIRST, query);
}
