import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { putSlaPolicyContract, slaPolicyChange } from "./contract.ts";

export async function putSlaPolicy(
  ctx: Context,
  policy: z.output<NonNullable<typeof putSlaPolicyContract.body>>,
): Promise<z.output<typeof slaPolicyChange>> {
  return tagged(ctx, await read<z.output<typeof slaPolicyChange>>(ctx, "put_sla_policy", policy));
}
