import { z } from "zod";
import type { Context } from "../../context.ts";
import { read } from "../../db/call.ts";
import { allowedVersions, tagAnswer } from "../../versions.ts";
import { type putSlaPolicyContract, slaPolicyChange } from "./contract.ts";

const stored = slaPolicyChange.extend({ version: z.int() });

export async function putSlaPolicy(
  ctx: Context,
  policy: z.output<NonNullable<typeof putSlaPolicyContract.body>>,
): Promise<z.output<typeof slaPolicyChange>> {
  const { version, ...change } = await read(ctx, "put_sla_policy", { ...policy, versions: allowedVersions(ctx) }, stored);
  tagAnswer(ctx, version);
  return change;
}
