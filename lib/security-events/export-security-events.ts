import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { listSecurityEventsContract, SecurityEvent } from "./contract.ts";

/** Each page is parsed in one go, which delays other requests: 250 rows keep that short. */
const PAGE_ROWS = 250;

type Page = { items: SecurityEvent[]; next: string[] | null };

/**
 * Every event that the filters match, newest first, up to the moment the export began. Starting an
 * export is itself recorded.
 */
export async function* exportSecurityEvents(
  ctx: Context,
  filters: z.output<typeof listSecurityEventsContract.query>,
): AsyncGenerator<SecurityEvent[]> {
  const { through } = await read<{ through: string }>(ctx, "open_security_event_export", {});
  let after: string[] | null = null;
  do {
    const input = { ...filters, after, through, limit: PAGE_ROWS };
    const page: Page = await read(ctx, "continue_security_event_export", input);
    yield page.items;
    after = page.next;
  } while (after);
}
