import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { timestamp } from "../wire/schema.ts";
import { type Exception, exception, type listExceptionsContract } from "./contract.ts";
import { filterInput } from "./filters/contract.ts";

type Contract = typeof listExceptionsContract;

const ORDERS = {
  created_at: { name: "id", key: z.tuple([exception.shape.id]) },
  closed_at: { name: "closed_at", key: z.tuple([timestamp, exception.shape.id]) },
};

export function listExceptions(
  ctx: Context,
  { sortBy, ...query }: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  const input = { ...filterInput(query), sort_by: sortBy };
  return readPage<Exception>(ctx, "list_exceptions", ORDERS[sortBy], input);
}
