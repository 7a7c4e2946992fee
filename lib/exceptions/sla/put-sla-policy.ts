import type { z } from "zod";
import type { Context } from "../../context.ts";
import { read } from "../../db/call.ts";
import { type putSlaPolicyContract, slaPolicyChange } from "./contract.ts";

export function putSlaPolicy(
  ctx: Context,
  policy: z.output<NonNullable<typeof putSlaPolicyContract.body>>,
): Promise<z.output<typeof slaPolicyChange>> {
  return read(ctx, "put_sla_policy", policy, slaPolicyChange);
}
