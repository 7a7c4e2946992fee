import { setTimeout as sleep } from "node:timers/promises";
import type { ListRequestsQuery } from "../../../typescript/src/generated/types.gen.ts";
import { connect, type GlobalOptions } from "../connection.ts";
import { print } from "../output.ts";

const LOOK_EVERY_MS = 2_000;
const SHOWN_AT_FIRST = 10;

/** Prints the tenant's calls as they come, oldest first. */
export async function tailLogs(options: GlobalOptions & { failed?: boolean }): Promise<void> {
  const { tieout } = await connect(options);
  const query: ListRequestsQuery = options.failed ? { status: "failed" } : {};
  const seen = new Set<string>();
  for (let limit = SHOWN_AT_FIRST; ; limit = 250) {
    const { items } = await tieout.requests.list({ ...query, limit }).page();
    for (const request of [...items].reverse()) {
      if (seen.has(request.id)) continue;
      const { at, status, method, path, duration_ms, actor } = request;
      const by = actor ?? "unknown";
      print(options, request, `${at}  ${status}  ${method} ${path}  ${duration_ms} ms  ${by}`);
    }
    for (const { id } of items) seen.add(id);
    await sleep(LOOK_EVERY_MS);
  }
}
