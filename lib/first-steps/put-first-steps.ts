import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { FirstSteps } from "./contract.ts";

export async function putFirstSteps(
  ctx: Context,
  body: { dismissed: boolean },
): Promise<FirstSteps> {
  return tagged(ctx, await read<FirstSteps>(ctx, "put_first_steps", body));
}
