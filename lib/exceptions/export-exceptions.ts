import type { z } from "zod";
import type { Context } from "../request/context.ts";
import { everyPage } from "../request/every-page.ts";
import type { Exception, listExceptionsContract } from "./contract.ts";
import { listExceptions } from "./list-exceptions.ts";

/** Every exception that the filters match, whatever its status, in the order of the list. */
export function exportExceptions(
  ctx: Context,
  filters: z.output<typeof listExceptionsContract.query>,
): AsyncGenerator<Exception[]> {
  return everyPage(ctx, (step, page) => listExceptions(step, { ...filters, ...page }));
}
