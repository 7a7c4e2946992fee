import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { slaPolicy } from "./contract.ts";

export async function getSlaPolicy(ctx: Context): Promise<z.output<typeof slaPolicy>> {
  return tagged(ctx, await read<z.output<typeof slaPolicy>>(ctx, "get_sla_policy", {}));
}
