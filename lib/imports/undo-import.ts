import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Import } from "./contract.ts";

export function undoImport(ctx: Context, id: string): Promise<Import> {
  return write<Import>(ctx, "undo_import", { id });
}
