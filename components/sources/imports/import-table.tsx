"use client";

import { RowLink } from "#components/kit/row-link.tsx";
import { type Column, PlainCell, PlainRow, PlainTable } from "#components/kit/table.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { personName } from "#components/people/person.tsx";
import { classes } from "#components/ui/classes.ts";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Import } from "#lib/imports/contract.ts";
import { FORMAT_TRAITS } from "#lib/imports/formats/mapping.ts";
import { ImportBadge } from "./labels.tsx";

const NUMBER = "whitespace-nowrap text-right tabular-nums @max-4xl:hidden";
const COLUMNS: readonly Column[] = [
  ["File", "pl-4"],
  ["Status", "w-36 max-sm:hidden"],
  ["New", `${NUMBER} w-24`],
  ["Duplicates", `${NUMBER} w-28`],
  ["Rejected", `${NUMBER} w-24`],
  ["Imported", "w-40 pl-6 max-md:hidden"],
];

export function ImportTable({
  items,
  linkTo,
}: {
  items: Import[];
  linkTo: (to: { import: string }) => PageLink;
}) {
  return (
    <PlainTable caption="Imports" columns={COLUMNS}>
      {items.map((item) => (
        <PlainRow key={item.id}>
          <PlainCell className="min-w-0 flex-1 pl-4">
            <RowLink to={linkTo({ import: item.id })}>{item.file_name ?? "Unnamed file"}</RowLink>
            <p className="truncate text-muted">
              {FORMAT_TRAITS[item.format].name} · {personName(item.created_by)}
              <span className="md:hidden">
                {" · "}
                <Time iso={item.created_at} />
              </span>
            </p>
          </PlainCell>
          <PlainCell>
            <ImportBadge imported={item} />
            {item.status === "reading" && item.bytes_total > 0 && (
              <ProgressBar
                label={`Progress of ${item.file_name ?? "the import"}`}
                value={item.bytes_read}
                max={item.bytes_total}
                className="mt-1.5 w-24"
              />
            )}
          </PlainCell>
          <Count count={item.accepted_count} />
          <Count count={item.duplicate_count} />
          <Count count={item.refused_count} warns />
          <PlainCell className="pl-6 whitespace-nowrap text-muted max-md:hidden">
            <Time iso={item.created_at} />
          </PlainCell>
        </PlainRow>
      ))}
    </PlainTable>
  );
}

function Count({ count, warns = false }: { count: number; warns?: boolean }) {
  return (
    <PlainCell
      className={classes(
        NUMBER,
        count === 0 ? "text-muted" : warns && "font-semibold text-danger-text",
      )}
    >
      {count.toLocaleString("en")}
    </PlainCell>
  );
}
