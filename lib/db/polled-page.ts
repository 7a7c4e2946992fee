import type { Context, PolledState } from "../request/context.ts";
import { NotModified } from "../request/not-modified.ts";
import type { Verb } from "./call.ts";
import { type Order, type Page, type Query, readPage } from "./page.ts";

/** What the function of a polled list returns: a page and its state, or that nothing is new. */
type Polled = { is_known?: true; state?: PolledState };

/**
 * Reads one page of a list whose callers send the entity tag of the page that they have.
 * @throws ApiError as `readPage`, NotModified if the caller has what it would return.
 */
export async function readPolledPage<Item, Rest>(
  ctx: Context,
  verb: Verb,
  order: Order,
  query: Query,
): Promise<Page<Item> & Rest> {
  const {
    is_known,
    state = null,
    ...page
  } = await readPage<Item, Rest & Polled>(ctx, verb, order, query);
  if (is_known) throw new NotModified();
  ctx.state = state;
  return page as unknown as Page<Item> & Rest;
}
