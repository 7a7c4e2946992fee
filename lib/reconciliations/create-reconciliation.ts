import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { createReconciliationContract, Reconciliation } from "./contract.ts";

type Input = z.output<NonNullable<typeof createReconciliationContract.body>>;

export async function createReconciliation(ctx: Context, input: Input): Promise<Reconciliation> {
  return tagged(ctx, await write<Reconciliation>(ctx, "create_reconciliation", input));
}
