"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { RowLink } from "#components/kit/row-link.tsx";
import { type Column, PlainCell, PlainRow, PlainTable } from "#components/kit/table.tsx";
import { classes } from "#components/ui/classes.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { periodOf } from "#lib/wire/period-name.ts";
import { matchedShare, PeriodStatus } from "./words.tsx";

const NUMBER = "whitespace-nowrap text-right tabular-nums";
const COLUMNS: readonly Column[] = [
  ["Name", "pl-4 md:w-1/3"],
  ["Period", "w-48 max-md:hidden"],
  ["Status", "w-30 max-md:hidden"],
  ["Matched", `${NUMBER} max-lg:hidden`],
  ["Unmatched", `${NUMBER} max-lg:hidden`],
  ["Match rate", `${NUMBER} max-md:hidden`],
  ["Open exceptions", `${NUMBER} w-32`],
];

export function ReconciliationTable({ items, stale }: { items: Reconciliation[]; stale: boolean }) {
  const tenantId = useTenantId();
  return (
    <PlainTable caption="Reconciliations" columns={COLUMNS} stale={stale}>
      {items.map((item) => (
        <PlainRow key={item.id}>
          <PlainCell className="min-w-0 flex-1 pl-4">
            <RowLink to={`/${tenantId}/reconciliations/${item.id}`}>{item.name}</RowLink>
            <div className="text-muted max-md:short:flex max-md:short:gap-x-3">
              <p className="truncate">
                {item.left_source} ↔ {item.right_source}
              </p>
              <p className="flex flex-wrap gap-x-3 md:hidden max-md:short:shrink-0">
                <PeriodStatus reconciliation={item} />
                {periodOf(item)}
              </p>
            </div>
          </PlainCell>
          <PlainCell className="whitespace-nowrap tabular-nums max-md:hidden">
            {periodOf(item)}
          </PlainCell>
          <PlainCell className="max-md:hidden">
            <PeriodStatus reconciliation={item} />
          </PlainCell>
          <PlainCell className={`${NUMBER} max-lg:hidden`}>
            {item.matched_count.toLocaleString("en")}
          </PlainCell>
          <PlainCell className={`${NUMBER} max-lg:hidden`}>
            {item.unmatched_count.toLocaleString("en")}
          </PlainCell>
          <PlainCell className={`${NUMBER} max-md:hidden`}>{matchedShare(item) ?? "–"}</PlainCell>
          <PlainCell
            className={classes(NUMBER, item.open_exceptions > 0 ? "font-semibold" : "text-muted")}
          >
            {item.open_exceptions.toLocaleString("en")}
            <span aria-hidden className="block text-xs font-normal text-muted sm:hidden">
              open
            </span>
          </PlainCell>
        </PlainRow>
      ))}
    </PlainTable>
  );
}
