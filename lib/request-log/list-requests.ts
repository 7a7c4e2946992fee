import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type LoggedRequest, type listRequestsContract, loggedRequest } from "./contract.ts";

type Contract = typeof listRequestsContract;

const NEWEST_FIRST = { name: "at", key: z.tuple([loggedRequest.shape.at, loggedRequest.shape.id]) };

export function listRequests(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<LoggedRequest, { as_of: string }>(ctx, "list_requests", NEWEST_FIRST, query);
}
