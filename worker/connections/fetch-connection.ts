import type { Task } from "graphile-worker";
import { z } from "zod";
import { refusalOf } from "#lib/connections/refusal.ts";
import type { Remote } from "#lib/connections/remote/remote.ts";
import { RemoteError } from "#lib/connections/remote/remote-error.ts";
import { log } from "#lib/runtime/log.ts";
import { fetchFiles } from "./fetch-files.ts";
import { openConnection } from "./open-connection.ts";
import { beginFetch, FetchQueries, type FetchSettings, type Outcome } from "./queries.ts";

const FETCH_TIMEOUT_MS = 60 * 60_000;

const payload = z.object({
  tenant_id: z.string(),
  connection_id: z.string(),
  by_hand: z.boolean(),
});

/**
 * Fetches the new files of a connection. Errors caused by the server are shown with the connection
 * and retried by its schedule. An error on our side fails the job, which is then retried.
 */
export function fetchConnection(allowHosts: ReadonlySet<string>): Task {
  return async (job, { query, abortSignal }) => {
    const { tenant_id, connection_id, by_hand } = payload.parse(job);
    const settings = await beginFetch(query, tenant_id, connection_id, by_hand);
    if (!settings) return;
    const queries = new FetchQueries(query, tenant_id, settings);
    const signal = AbortSignal.any([
      AbortSignal.timeout(FETCH_TIMEOUT_MS),
      ...(abortSignal ? [abortSignal] : []),
    ]);
    const open = () => openConnection(query, tenant_id, settings, { allowHosts, signal });
    const outcome = await attempt(queries, settings, { open, byHand: by_hand, signal });
    abortSignal?.throwIfAborted();
    await queries.end(outcome).catch((error) => {
      if (refusalOf(error) === null) throw error;
      log.warn({ connection_id }, "another fetch has taken over");
    });
  };
}

type Options = { open: () => Promise<Remote>; byHand: boolean; signal: AbortSignal };

async function attempt(
  queries: FetchQueries,
  settings: FetchSettings,
  { open, byHand, signal }: Options,
): Promise<Outcome> {
  try {
    const remote = await open();
    try {
      return await fetchFiles(queries, settings, remote, { byHand, signal });
    } finally {
      await remote.close();
    }
  } catch (error) {
    const refusal = refusalOf(error);
    if (!(error instanceof RemoteError) && refusal === null) throw error;
    log.warn({ connection_id: settings.id, reason: (error as Error).message }, "a fetch failed");
    return {
      found: 0,
      error: refusal ?? (error as Error).message,
      needs_person: error instanceof RemoteError && error.needsPerson,
    };
  }
}
