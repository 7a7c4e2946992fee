"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { RowLink } from "#components/kit/row-link.tsx";
import { SOURCE_KIND_LABELS } from "#components/kit/source-kinds.ts";
import { type Column, PlainCell, PlainRow, PlainTable } from "#components/kit/table.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { Time } from "#components/ui/time.tsx";
import type { Source } from "#lib/sources/contract.ts";
import { KIND_ICONS } from "./labels.ts";

const NUMBER = "whitespace-nowrap text-right tabular-nums";
const COLUMNS: readonly Column[] = [
  ["Name", "pl-4"],
  ["Currency", "w-28 max-md:hidden"],
  ["Lines", `${NUMBER} w-32`],
  ["Last import", "w-44 pl-6 max-md:hidden"],
];

export function SourceTable({ items, stale }: { items: Source[]; stale: boolean }) {
  const tenantId = useTenantId();
  return (
    <PlainTable caption="Sources" columns={COLUMNS} stale={stale}>
      {items.map(({ id, name, kind, currency, line_count, last_import_at }) => {
        const Icon = KIND_ICONS[kind];
        return (
          <PlainRow key={id}>
            <PlainCell className="min-w-0 flex-1 pl-4">
              <div className="flex items-center gap-3">
                <span className="flex size-8 shrink-0 items-center justify-center rounded-md border border-line bg-canvas text-muted max-sm:hidden">
                  <Icon aria-hidden className="size-4" />
                </span>
                <div className="min-w-0">
                  <RowLink to={`/${tenantId}/sources/${id}`}>{name}</RowLink>
                  <p className="truncate text-muted">
                    {SOURCE_KIND_LABELS[kind]}
                    <span className="md:hidden"> · {currency}</span>
                  </p>
                </div>
              </div>
            </PlainCell>
            <PlainCell className="max-md:hidden">{currency}</PlainCell>
            <PlainCell className={NUMBER}>
              <span className="max-sm:hidden">{line_count.toLocaleString("en")}</span>
              <span className="text-muted sm:hidden">{pluralize(line_count, "line")}</span>
            </PlainCell>
            <PlainCell className="pl-6 whitespace-nowrap text-muted max-md:hidden">
              {last_import_at ? <Time iso={last_import_at} /> : "Never"}
            </PlainCell>
          </PlainRow>
        );
      })}
    </PlainTable>
  );
}
