import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { View } from "./contract.ts";

export async function getView(ctx: Context, id: string): Promise<View> {
  return tagged(ctx, await read<View>(ctx, "get_view", { id }));
}
