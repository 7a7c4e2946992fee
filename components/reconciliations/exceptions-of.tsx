"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { Assignee } from "#components/exceptions/assignee.tsx";
import { formatMoney } from "#components/exceptions/money.ts";
import { SeverityLabel, StatusLabel } from "#components/exceptions/words.tsx";
import { LoadMore } from "#components/ui/load-more.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Exception } from "#lib/exceptions/contract.ts";
import { reconciliationExceptionsQuery } from "./queries.ts";

const CELL = "py-2.5 pr-4 align-middle";
const COLUMNS = [
  ["Exception", ""],
  ["Severity", "w-28 max-sm:hidden"],
  ["Assignee", "w-36 max-md:hidden"],
  ["Due", "w-36 max-lg:hidden"],
  ["Money at risk", "w-36 text-right max-lg:hidden"],
  ["Status", "w-32 lg:pl-4"],
] as const;

/** What did not match, newest first, closed ones included. */
export function ExceptionsOf({ tenantId, id }: { tenantId: string; id: string }) {
  const pages = useInfiniteQuery(reconciliationExceptionsQuery(tenantId, id));
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-labelledby="exceptions">
      <h2 id="exceptions" className="border-b border-line pb-2 text-lg font-semibold">
        Exceptions
      </h2>
      {pages.error && !pages.data ? (
        <ProblemNotice error={pages.error} onRetry={() => pages.refetch()} />
      ) : !pages.data ? (
        <div role="status" aria-label="Loading exceptions" className="py-4">
          <Skeleton className="h-3.5 w-1/2" />
        </div>
      ) : items.length === 0 ? (
        <Notice icon={CircleCheck} title="Everything matched">
          This reconciliation has left no exceptions.
        </Notice>
      ) : (
        <>
          <table className="w-full table-fixed text-sm">
            <caption className="sr-only">Exceptions of this reconciliation</caption>
            <thead className="text-xs text-muted max-sm:sr-only">
              <tr className="border-b border-line text-left">
                {COLUMNS.map(([name, width]) => (
                  <th key={name} scope="col" className={`h-9 pr-4 font-medium ${width}`}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <Row key={item.id} tenantId={tenantId} item={item} />
              ))}
            </tbody>
          </table>
          <LoadMore shown={items.length} pages={pages} />
        </>
      )}
    </section>
  );
}

function Row({ tenantId, item }: { tenantId: string; item: Exception }) {
  return (
    <tr className="relative border-b border-line max-sm:flex max-sm:items-center transition-colors duration-100 hover:bg-hover has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-focus">
      <td className={`${CELL} min-w-0 flex-1`}>
        <PrefetchLink
          href={`/${tenantId}/exceptions?exception=${item.id}`}
          className="block truncate text-base font-medium outline-none after:absolute after:inset-0"
        >
          {item.title}
        </PrefetchLink>
        <p className="flex gap-3 text-muted sm:hidden">
          <SeverityLabel severity={item.severity} />
        </p>
      </td>
      <td className={`${CELL} max-sm:hidden`}>
        <SeverityLabel severity={item.severity} />
      </td>
      <td className={`${CELL} max-md:hidden`}>
        <Assignee reference={item.assigned_to} />
      </td>
      <td className={`${CELL} whitespace-nowrap text-muted tabular-nums max-lg:hidden`}>
        <Time iso={item.due_at} />
      </td>
      <td className={`${CELL} text-right tabular-nums max-lg:hidden`}>
        {item.amount_minor !== null && item.currency !== null && formatMoney(item.amount_minor, item.currency)}
      </td>
      <td className={`${CELL} lg:pl-4`}>
        <StatusLabel status={item.status} />
      </td>
    </tr>
  );
}
