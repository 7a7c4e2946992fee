import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import { tagged } from "../versions.ts";
import type { FirstSteps } from "./contract.ts";

export async function getFirstSteps(ctx: Context): Promise<FirstSteps> {
  return tagged(ctx, await read<FirstSteps>(ctx, "get_first_steps", {}));
}
