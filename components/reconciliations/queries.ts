import { listQuery, oneQuery, resourceKey, versionQuery } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import { getProofContract, getStatementContract } from "#lib/matching/periods/contract.ts";
import { getRulesContract } from "#lib/matching/rules/contract.ts";
import { getRunContract, listRunsContract, type Run } from "#lib/matching/runs/contract.ts";
import { getReconciliationContract, listReconciliationsContract } from "#lib/reconciliations/contract.ts";
import { listSourcesContract } from "#lib/sources/contract.ts";
import type { ReconciliationSearch } from "./search.ts";

const PAGE_SIZE = 50;
const REFRESH_MS = 15_000;
const RUNNING_MS = 600;
const SOURCES_SHOWN = 50;

/** The cache key of a tenant's reconciliations, and all that is asked about them. */
export const reconciliationsKey = (tenant: string) => resourceKey(tenant, "reconciliations");

export function reconciliationPages(tenant: string, { status, period_from, period_to }: Omit<ReconciliationSearch, "new">) {
  return listQuery(
    {
      under: reconciliationsKey(tenant),
      contract: listReconciliationsContract,
      call: { tenant, query: queryOf({ status, period_from, period_to, limit: PAGE_SIZE }) },
    },
    { refreshMs: () => REFRESH_MS },
  );
}

export function reconciliationById(tenant: string, id: string) {
  return oneQuery(
    { under: reconciliationsKey(tenant), contract: getReconciliationContract, call: { tenant, params: { id } } },
    { refetchInterval: REFRESH_MS },
  );
}

/** Whether a run is still to come to its end. */
export const isUnderWay = (run: Run | undefined) => run?.status === "queued" || run?.status === "running";

/** The period's newest runs. Asked often while one is under way. */
export function runsOfReconciliation(tenant: string, id: string) {
  return oneQuery(
    { under: reconciliationsKey(tenant), contract: listRunsContract, call: { tenant, params: { id }, query: { limit: "10" } } },
    { refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? RUNNING_MS : REFRESH_MS / 3) },
  );
}

/** A run, asked until it has ended. */
export function runById(tenant: string, id: string) {
  return oneQuery(
    { under: reconciliationsKey(tenant), contract: getRunContract, call: { tenant, params: { id } } },
    { refetchInterval: ({ state }) => (state.data && !isUnderWay(state.data) ? false : RUNNING_MS) },
  );
}

export function proofOf(tenant: string, id: string) {
  return oneQuery({ under: reconciliationsKey(tenant), contract: getProofContract, call: { tenant, params: { id } } });
}

export function statementOf(tenant: string, id: string) {
  return oneQuery({ under: reconciliationsKey(tenant), contract: getStatementContract, call: { tenant, params: { id } } });
}

export function rulesOf(tenant: string, id: string) {
  return versionQuery({ under: reconciliationsKey(tenant), contract: getRulesContract, call: { tenant, params: { id } } });
}

/** Sources to choose from, by words of their name. */
export function sourcesNamed(tenant: string, words: string) {
  return oneQuery({
    under: resourceKey(tenant, "sources"),
    contract: listSourcesContract,
    call: { tenant, query: queryOf({ q: words.trim().slice(0, 200), limit: SOURCES_SHOWN }) },
  });
}
