import type { z } from "zod";
import type { Context } from "../request/context.ts";
import type { listSlaExceptionsContract, SlaItem } from "./contract.ts";
import { listSlaExceptions } from "./list-sla-exceptions.ts";

/** What arrives is read at once, beside what others wait for. */
const PAGE_ROWS = 250;

/** All that the filters leave, in the order of the list. */
export async function* exportSlaExceptions(
  ctx: Context,
  filters: z.output<typeof listSlaExceptionsContract.query>,
): AsyncGenerator<SlaItem[]> {
  let step = ctx;
  let cursor: string | undefined;
  do {
    const page = await listSlaExceptions(step, { ...filters, limit: PAGE_ROWS, cursor });
    yield page.items;
    cursor = page.next_cursor ?? undefined;
    step = { ...ctx, exported: null, continues: true };
  } while (cursor);
}
