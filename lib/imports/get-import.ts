import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Import } from "./contract.ts";

export function getImport(ctx: Context, id: string): Promise<Import> {
  return read<Import>(ctx, "get_import", { id });
}
