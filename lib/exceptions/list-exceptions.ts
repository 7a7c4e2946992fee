import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type Exception, exception, type listExceptionsContract } from "./contract.ts";

type Contract = typeof listExceptionsContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([exception.shape.id]) };

export function listExceptions(ctx: Context, query: z.output<Contract["query"]>): Promise<z.input<Contract["response"]>> {
  return readPage<Exception>(ctx, "list_exceptions", NEWEST_FIRST, query);
}
