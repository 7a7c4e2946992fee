import { z } from "zod";
import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import type { listSecurityEventsContract, SecurityEvent } from "./contract.ts";
import { keyset } from "./list-security-events.ts";

const PAGE_ROWS = 1000;
const opened = z.object({ through: z.string() });

/** All that the filters leave, newest first, as it was when the export began; beginning it is the event. */
export async function* exportSecurityEvents(
  ctx: Context,
  { cursor: _cursor, limit: _limit, ...filters }: z.output<typeof listSecurityEventsContract.query>,
): AsyncGenerator<SecurityEvent[]> {
  const exported = ctx.exported && { ...ctx.exported, query: filters };
  const { through } = await read({ ...ctx, exported }, "open_security_event_export", {}, opened);
  let after: string[] | null = null;
  do {
    const page: z.output<typeof keyset> = await read(
      ctx,
      "continue_security_event_export",
      { ...filters, after, through, limit: PAGE_ROWS },
      keyset,
    );
    yield page.items;
    after = page.next;
  } while (after);
}
