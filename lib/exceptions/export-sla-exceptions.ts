import type { z } from "zod";
import type { Context } from "../request/context.ts";
import { everyPage } from "../request/every-page.ts";
import type { listSlaExceptionsContract, SlaItem } from "./contract.ts";
import { listSlaExceptions } from "./list-sla-exceptions.ts";

/** Every open exception that the filters match, in the order of the list. */
export function exportSlaExceptions(
  ctx: Context,
  filters: z.output<typeof listSlaExceptionsContract.query>,
): AsyncGenerator<SlaItem[]> {
  return everyPage(ctx, (step, page) => listSlaExceptions(step, { ...filters, ...page }));
}
