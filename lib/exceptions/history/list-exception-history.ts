import { z } from "zod";
import { readPage } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import type { listExceptionHistoryContract } from "./contract.ts";

type Contract = typeof listExceptionHistoryContract;
type Page = z.input<Contract["response"]>;

const NEWEST_FIRST = { name: "history", key: z.tuple([z.string().regex(/^\d{1,18}$/)]) };

export function listExceptionHistory(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<Page> {
  return readPage<Page["items"][number]>(ctx, "list_exception_history", NEWEST_FIRST, {
    id,
    ...query,
  });
}
