import { z } from "zod";
import type { Context } from "../../context.ts";
import { read } from "../../db/call.ts";
import { tagAnswer } from "../../versions.ts";
import { slaPolicy } from "./contract.ts";

const stored = slaPolicy.extend({ version: z.int() });

export async function getSlaPolicy(ctx: Context): Promise<z.output<typeof slaPolicy>> {
  const { version, ...policy } = await read(ctx, "get_sla_policy", {}, stored);
  tagAnswer(ctx, version);
  return policy;
}
