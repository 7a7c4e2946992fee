import { setTimeout as sleep } from "node:timers/promises";
import type {
  ListRequestsQuery,
  LoggedRequest,
} from "../../../typescript/src/generated/types.gen.ts";
import type { Tieout } from "../../../typescript/src/index.ts";
import { connect, type GlobalOptions } from "../connection.ts";
import { print } from "../output.ts";
import { SeenCalls } from "./seen-calls.ts";

const POLL_INTERVAL_MS = 2_000;
const INITIAL_CALLS = 10;
const PAGE_SIZE = 250;

/** Prints the tenant's latest calls, then new ones as they arrive, oldest first. */
export async function tailLogs(options: GlobalOptions & { failed?: boolean }): Promise<void> {
  const { tieout } = await connect(options);
  const query: ListRequestsQuery = options.failed ? { status: "failed" } : {};
  const seen = new SeenCalls();
  const show = (requests: readonly LoggedRequest[]) => {
    for (const request of requests.toReversed()) {
      seen.add(request);
      const { at, status, method, path, duration_ms, actor } = request;
      const by = actor ?? "unknown";
      print(options, request, `${at}  ${status}  ${method} ${path}  ${duration_ms} ms  ${by}`);
    }
  };
  const first = await read(tieout, { ...query, limit: INITIAL_CALLS }, seen);
  show(first.items);
  // Calls older than the first one shown are left out.
  const start = first.next_cursor === null ? undefined : first.items.at(-1)?.at;
  for (;;) {
    await sleep(POLL_INTERVAL_MS);
    const since = seen.forget() ?? start;
    show(await unseen(tieout, { ...query, since, limit: PAGE_SIZE }, seen));
  }
}

/** Reads a page. The call itself is in the log, too, and counts as seen. */
async function read(tieout: Tieout, query: ListRequestsQuery, seen: SeenCalls) {
  const { data, requestId } = await tieout.requests.list(query).page().withResponse();
  if (requestId) seen.addOwn(requestId);
  return data;
}

/**
 * Newest first. Calls are logged up to a second late, between others that were already shown, so
 * pages are read until one has nothing new.
 */
async function unseen(
  tieout: Tieout,
  query: ListRequestsQuery,
  seen: SeenCalls,
): Promise<LoggedRequest[]> {
  const found: LoggedRequest[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read(tieout, { ...query, cursor }, seen);
    const fresh = page.items.filter(({ id }) => !seen.has(id));
    found.push(...fresh);
    if (page.next_cursor === null || fresh.length === 0) return found;
    cursor = page.next_cursor;
  }
}
