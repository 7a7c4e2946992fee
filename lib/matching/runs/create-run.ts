import type { z } from "zod";
import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { createRunContract, Run } from "./contract.ts";

export async function createRun(
  ctx: Context,
  id: string,
  input: z.output<NonNullable<typeof createRunContract.body>>,
): Promise<Run> {
  const run = await write<Run>(ctx, "create_run", { ...input, id });
  ctx.reply.set("Location", `/v1/runs/${run.id}`);
  return run;
}
