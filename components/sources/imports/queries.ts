import { listQuery, resourceKey, singleQuery } from "#components/kit/query.ts";
import { getImportContract, type Import, listImportsContract } from "#lib/imports/contract.ts";

const PAGE_SIZE = 20;
const REFRESH_MS = 15_000;
const AT_WORK_MS = 700;

/** The cache key of a tenant's imports. */
export const importsKey = (tenant: string) => resourceKey(tenant, "imports");

/** Whether the import is still in progress. */
export function isInProgress({ status }: Pick<Import, "status">): boolean {
  return status === "queued" || status === "reading" || status === "undoing";
}

export function importPages(tenant: string, sourceId: string) {
  return listQuery(
    {
      keyPrefix: importsKey(tenant),
      contract: listImportsContract,
      call: { tenant, query: { source_id: sourceId, limit: PAGE_SIZE } },
    },
    { refreshMs: (newest) => (newest?.items.some(isInProgress) ? AT_WORK_MS : REFRESH_MS) },
  );
}

export function importById(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: importsKey(tenant),
      contract: getImportContract,
      call: { tenant, params: { id } },
    },
    { refetchInterval: ({ state: { data } }) => (data && isInProgress(data) ? AT_WORK_MS : false) },
  );
}
