import { callApi } from "#components/api-client.ts";
import { listQuery } from "#components/kit/query.ts";
import { monthAfter } from "#components/ui/days.ts";
import {
  getClosingBoardContract,
  openNextPeriodsContract,
} from "#lib/matching/closing-board/contract.ts";
import { reconciliationsKey } from "../queries.ts";

const MONTHS_SHOWN = 6;
const PAGE_SIZE = 250;
const REFRESH_MS = 30_000;

/** The months up to one, the earliest first. */
export function monthsUpTo(to: string): string[] {
  return Array.from({ length: MONTHS_SHOWN }, (_, index) =>
    monthAfter(to, index + 1 - MONTHS_SHOWN),
  );
}

export function boardPages(tenant: string, to: string) {
  const from = monthAfter(to, 1 - MONTHS_SHOWN);
  return listQuery(
    {
      keyPrefix: reconciliationsKey(tenant),
      contract: getClosingBoardContract,
      call: { tenant, query: { from, to, limit: `${PAGE_SIZE}` } },
    },
    { refreshMs: () => REFRESH_MS },
  );
}

type Pairs = { left_source_id: string; right_source_id: string }[] | undefined;

/** What opening the next periods up to a month would create. */
export function nextPeriodsPreview(tenant: string, through: string, pairs: Pairs) {
  return {
    queryKey: [...reconciliationsKey(tenant), "next periods", through, pairs ?? null] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      callApi(openNextPeriodsContract, {
        tenant,
        body: { through, dry_run: true, ...(pairs && { pairs }) },
        signal,
      }),
  };
}
