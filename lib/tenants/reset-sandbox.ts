import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Sandbox } from "./contract.ts";
import { SAMPLE_MONTH } from "./sample.ts";

export function resetSandbox(ctx: Context, { sample }: { sample: boolean }): Promise<Sandbox> {
  return write<Sandbox>(ctx, "reset_sandbox", { sample: sample ? SAMPLE_MONTH : null });
}
