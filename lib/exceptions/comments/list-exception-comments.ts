import { z } from "zod";
import { readPage } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import type { Comment, listExceptionCommentsContract } from "./contract.ts";

const NEWEST_FIRST = { name: "comments", key: z.tuple([z.string().max(64)]) };

export function listExceptionComments(
  ctx: Context,
  id: string,
  query: z.output<(typeof listExceptionCommentsContract)["query"]>,
) {
  return readPage<Comment>(ctx, "list_exception_comments", NEWEST_FIRST, { id, ...query });
}
