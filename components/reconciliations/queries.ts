import { listQuery, resourceKey, singleQuery, versionQuery } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import { getLineContract } from "#lib/lines/contract.ts";
import { listMatchesContract } from "#lib/matching/contract.ts";
import {
  getProofContract,
  getStatementContract,
  listSignedStatementsContract,
} from "#lib/matching/periods/contract.ts";
import { getRulesContract } from "#lib/matching/rules/contract.ts";
import { getRunContract, listRunsContract, type Run } from "#lib/matching/runs/contract.ts";
import { getChecklistContract } from "#lib/matching/sign-off/contract.ts";
import {
  getReconciliationContract,
  listReconciliationsContract,
  type Reconciliation,
} from "#lib/reconciliations/contract.ts";
import { getSourceContract } from "#lib/sources/contract.ts";
import type { MatchSearch } from "./matches/search.ts";
import type { ReconciliationSearch } from "./search.ts";

const PAGE_SIZE = 50;
const REFRESH_MS = 15_000;
const RUNNING_MS = 600;
const SIGNED_STATEMENTS_SHOWN = 50;
/** Polled while the matcher prepares or closes it. */
const CHANGING_MS = 2_000;

/** The cache key of a tenant's reconciliations and everything that belongs to them. */
export const reconciliationsKey = (tenant: string) => resourceKey(tenant, "reconciliations");

export function reconciliationPages(
  tenant: string,
  { status, period_from, period_to }: Omit<ReconciliationSearch, "new">,
) {
  return listQuery(
    {
      keyPrefix: reconciliationsKey(tenant),
      contract: listReconciliationsContract,
      call: { tenant, query: queryOf({ status, period_from, period_to, limit: PAGE_SIZE }) },
    },
    {
      refreshMs: (newest) =>
        newest?.items.some(({ preparing, closing }) => preparing || closing)
          ? CHANGING_MS
          : REFRESH_MS,
    },
  );
}

export function reconciliationById(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: reconciliationsKey(tenant),
      contract: getReconciliationContract,
      call: { tenant, params: { id } },
    },
    {
      refetchInterval: ({ state }) =>
        state.data?.preparing || state.data?.closing ? CHANGING_MS : REFRESH_MS,
    },
  );
}

const PERIODS_SHOWN = 24;

/** The newest periods of the same two sources. */
export function periodsOfPair(tenant: string, { left_source_id, right_source_id }: Reconciliation) {
  return singleQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: listReconciliationsContract,
    call: { tenant, query: queryOf({ left_source_id, right_source_id, limit: PERIODS_SHOWN }) },
  });
}

/** Whether a run has not ended yet. */
export const isUnderWay = (run: Run | undefined) =>
  run?.status === "queued" || run?.status === "running";

/** The period's newest runs. Polled often while one is in progress. */
export function runsOfReconciliation(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: reconciliationsKey(tenant),
      contract: listRunsContract,
      call: { tenant, params: { id }, query: { limit: "10" } },
    },
    {
      refetchInterval: ({ state }) =>
        state.data?.items.some(isUnderWay) ? RUNNING_MS : REFRESH_MS / 3,
    },
  );
}

/** A run, polled until it has ended. */
export function runById(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: reconciliationsKey(tenant),
      contract: getRunContract,
      call: { tenant, params: { id } },
    },
    {
      refetchInterval: ({ state }) => (state.data && !isUnderWay(state.data) ? false : RUNNING_MS),
    },
  );
}

export function proofOf(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: getProofContract,
    call: { tenant, params: { id } },
  });
}

export function checklistOf(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: getChecklistContract,
    call: { tenant, params: { id } },
  });
}

export function statementOf(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: getStatementContract,
    call: { tenant, params: { id } },
  });
}

/** The signed statements of a period, newest first. */
export function signedStatementsOf(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: listSignedStatementsContract,
    call: { tenant, params: { id }, query: { limit: SIGNED_STATEMENTS_SHOWN } },
  });
}

/** The period's matches, as their page lists and exports them. */
export function matchPages(tenant: string, id: string, { q, ...search }: MatchSearch) {
  return listQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: listMatchesContract,
    call: { tenant, params: { id }, query: queryOf({ ...search, q: q.trim(), limit: PAGE_SIZE }) },
  });
}

export function rulesOf(tenant: string, id: string) {
  return versionQuery({
    keyPrefix: reconciliationsKey(tenant),
    contract: getRulesContract,
    call: { tenant, params: { id } },
  });
}

/** A source, for the currency of its balances. */
export function sourceOf(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: resourceKey(tenant, "sources"),
    contract: getSourceContract,
    call: { tenant, params: { id } },
  });
}

export function lineById(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: reconciliationsKey(tenant),
      contract: getLineContract,
      call: { tenant, params: { id } },
    },
    { staleTime: 60_000 },
  );
}
