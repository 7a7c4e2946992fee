import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import { type FirstSteps, firstSteps } from "./contract.ts";

export function getFirstSteps(ctx: Context): Promise<FirstSteps> {
  return read(ctx, "get_first_steps", {}, firstSteps);
}
