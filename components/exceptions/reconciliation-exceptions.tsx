"use client";

import { CircleCheck } from "lucide-react";
import { ListBody } from "#components/kit/list-body.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { RowLink } from "#components/kit/row-link.tsx";
import { type Column, PlainCell, PlainRow, PlainTable } from "#components/kit/table.tsx";
import { useList } from "#components/kit/use-list.ts";
import { Person } from "#components/people/person.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Exception } from "#lib/exceptions/contract.ts";
import { SeverityLabel, StatusLabel } from "./labels.tsx";
import { exceptionsOfReconciliation } from "./queries.ts";

const COLUMNS: readonly Column[] = [
  "Exception",
  ["Severity", "w-28 max-sm:hidden"],
  ["Assignee", "w-36 max-md:hidden"],
  ["Due", "w-36 max-lg:hidden"],
  ["Money at risk", "w-36 text-right max-lg:hidden"],
  ["Status", "w-32 lg:pl-4"],
];

/** A reconciliation's exceptions, newest first, including closed ones. */
export function ReconciliationExceptions({ id }: { id: string }) {
  const list = useList(exceptionsOfReconciliation(useTenantId(), id));
  return (
    <section aria-labelledby="exceptions">
      <h2 id="exceptions" className="border-b border-line pb-2 text-lg font-semibold">
        Exceptions
      </h2>
      <ListBody
        list={list}
        skeleton={
          <div className="py-4">
            <PartSkeleton label="Loading exceptions" bars={["h-3.5 w-1/2"]} />
          </div>
        }
        bare={
          <Notice icon={CircleCheck} title="No exceptions">
            Nothing is open past its grace period.
          </Notice>
        }
      >
        {() => (
          <PlainTable caption="Exceptions of this reconciliation" columns={COLUMNS}>
            {list.items.map((item) => (
              <Row key={item.id} item={item} />
            ))}
          </PlainTable>
        )}
      </ListBody>
    </section>
  );
}

function Row({ item }: { item: Exception }) {
  const tenantId = useTenantId();
  return (
    <PlainRow>
      <PlainCell className="min-w-0 flex-1">
        <RowLink to={`/${tenantId}/exceptions?exception=${item.id}`}>{item.title}</RowLink>
        <p className="flex gap-3 text-muted sm:hidden">
          <SeverityLabel severity={item.severity} />
        </p>
      </PlainCell>
      <PlainCell className="max-sm:hidden">
        <SeverityLabel severity={item.severity} />
      </PlainCell>
      <PlainCell className="max-md:hidden">
        <Person reference={item.assigned_to} />
      </PlainCell>
      <PlainCell className="whitespace-nowrap text-muted tabular-nums max-lg:hidden">
        <Time iso={item.due_at} />
      </PlainCell>
      <PlainCell className="text-right tabular-nums max-lg:hidden">
        {item.amount_minor !== null &&
          item.currency !== null &&
          formatMoney(item.amount_minor, item.currency)}
      </PlainCell>
      <PlainCell className="lg:pl-4">
        <StatusLabel status={item.status} />
      </PlainCell>
    </PlainRow>
  );
}
