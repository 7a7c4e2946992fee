import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { FirstSteps } from "./contract.ts";

export async function getFirstSteps(ctx: Context): Promise<FirstSteps> {
  return tagged(ctx, await read<FirstSteps>(ctx, "get_first_steps", {}));
}
