import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Comment } from "./contract.ts";

export function createExceptionComment(ctx: Context, id: string, body: string): Promise<Comment> {
  return write(ctx, "create_exception_comment", { id, body });
}
