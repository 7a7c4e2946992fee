import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Statement } from "./contract.ts";

export function getStatement(ctx: Context, id: string): Promise<Statement> {
  return read<Statement>(ctx, "get_statement", { id });
}
