import { listQuery, resourceKey } from "#components/kit/query.ts";
import { listConnectionFilesContract, listConnectionsContract } from "#lib/connections/contract.ts";

const FILES_SHOWN = 10;
const REFRESH_MS = 10_000;
/** Polled while a file is being fetched. */
const BUSY_MS = 2_000;

/** The cache key of a tenant's connections and their files. */
export const connectionsKey = (tenant: string) => resourceKey(tenant, "connections");

/** The connection of a source, if it has one. */
export function connectionOf(tenant: string, sourceId: string) {
  return listQuery(
    {
      keyPrefix: connectionsKey(tenant),
      contract: listConnectionsContract,
      call: { tenant, query: { source_id: sourceId, limit: 1 } },
    },
    { refreshMs: () => REFRESH_MS },
  );
}

/** The files that a connection found, newest first. */
export function connectionFilePages(tenant: string, id: string) {
  return listQuery(
    {
      keyPrefix: connectionsKey(tenant),
      contract: listConnectionFilesContract,
      call: { tenant, params: { id }, query: { limit: FILES_SHOWN } },
    },
    {
      refreshMs: (newest) =>
        newest?.items.some(({ outcome }) => outcome === "fetching" || outcome === "importing")
          ? BUSY_MS
          : REFRESH_MS,
    },
  );
}
