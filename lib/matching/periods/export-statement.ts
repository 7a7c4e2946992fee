import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { OutstandingLine } from "./contract.ts";

/** What arrives is read at once, beside what others wait for. */
const PAGE_ROWS = 250;

type Page = { items: OutstandingLine[]; next: string[] | null };

/** What is outstanding at the end of the period, oldest first. */
export async function* exportStatement(ctx: Context, id: string): AsyncGenerator<OutstandingLine[]> {
  let step = ctx;
  let after: string[] | null = null;
  do {
    const page: Page = await read(step, "list_outstanding_lines", { id, after, limit: PAGE_ROWS });
    yield page.items;
    after = page.next;
    step = { ...ctx, exported: null, continues: true };
  } while (after);
}
