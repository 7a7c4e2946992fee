import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import { type FirstSteps, firstSteps } from "./contract.ts";

export function putFirstSteps(ctx: Context, body: { dismissed: boolean }): Promise<FirstSteps> {
  return read(ctx, "put_first_steps", body, firstSteps);
}
