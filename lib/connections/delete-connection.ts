import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";

export function deleteConnection(ctx: Context, id: string): Promise<{ id: string; deleted: true }> {
  return write(ctx, "delete_connection", { id });
}
