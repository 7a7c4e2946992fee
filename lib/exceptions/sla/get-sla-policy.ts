import type { z } from "zod";
import type { Context } from "../../context.ts";
import { read } from "../../db/call.ts";
import { slaPolicy } from "./contract.ts";

export function getSlaPolicy(ctx: Context): Promise<z.output<typeof slaPolicy>> {
  return read(ctx, "get_sla_policy", {}, slaPolicy);
}
