import type { z } from "zod";
import { read, write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { createReconciliationContract, Reconciliation } from "./contract.ts";

type Input = z.output<NonNullable<typeof createReconciliationContract.body>>;

/** Where it is the first of its two sources, their lines are opened to each other before, some seconds a million. */
export async function createReconciliation(ctx: Context, input: Input): Promise<Reconciliation> {
  const { left_source_id, right_source_id } = input;
  const next = { ...ctx, continues: true };
  if (left_source_id === undefined) return tagged(ctx, await write<Reconciliation>(ctx, "create_reconciliation", input));
  for (let step = ctx, isOpen = false; !isOpen; step = next) {
    isOpen = (await read<{ is_open: boolean }>(step, "open_pair", { left_source_id, right_source_id })).is_open;
  }
  return tagged(ctx, await write<Reconciliation>(next, "create_reconciliation", input));
}
