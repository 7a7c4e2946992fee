import { keepPreviousData } from "@tanstack/react-query";
import { singleQuery } from "#components/kit/query.ts";
import { getSlaReportContract } from "#lib/exceptions/report/contract.ts";
import {
  getExceptionLedgerContract,
  getTimeToBreachContract,
} from "#lib/exceptions/sla/contract.ts";
import { exceptionsKey } from "../queries.ts";

const REFRESH_MS = 15_000;
const REPORT_REFRESH_MS = 60_000;

export function slaTimelineOf(tenant: string, id: string) {
  return singleQuery({
    keyPrefix: exceptionsKey(tenant),
    contract: getExceptionLedgerContract,
    call: { tenant, params: { id } },
  });
}

/** The SLA report by day, for its breaches. */
export function breachesPerDay(tenant: string, { since, until }: { since: string; until: string }) {
  return singleQuery(
    {
      keyPrefix: exceptionsKey(tenant),
      contract: getSlaReportContract,
      call: { tenant, query: { since, until, by: "day" } },
    },
    { placeholderData: keepPreviousData, refetchInterval: REPORT_REFRESH_MS },
  );
}

/** All open exceptions of the tenant, by time to breach. */
export function timeToBreach(tenant: string) {
  return singleQuery(
    { keyPrefix: exceptionsKey(tenant), contract: getTimeToBreachContract, call: { tenant } },
    { refetchInterval: REFRESH_MS },
  );
}
