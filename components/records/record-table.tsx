"use client";

import { RotateCcw } from "lucide-react";
import { RowLink } from "#components/kit/row-link.tsx";
import { type Column, PlainCell, PlainRow, PlainTable } from "#components/kit/table.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { classes } from "#components/ui/classes.ts";
import { Time } from "#components/ui/time.tsx";
import type { StoredRecord } from "#lib/records/contract.ts";
import type { Surface } from "#lib/records/surfaces/surface.ts";
import { daysLeft } from "./days-left.ts";
import { FieldValue } from "./field-value.tsx";
import { nameOf, surfaceOf } from "./surface.ts";

type Props = {
  path: string;
  records: StoredRecord[];
  stale: boolean;
  linkTo: (to: { record: string }) => PageLink;
  /** Set when the bin is shown. */
  onRestore?: (record: StoredRecord) => void;
};

export function RecordTable({ path, records, stale, linkTo, onRestore }: Props) {
  const { surface } = surfaceOf(path);
  const [heading, ...others] = surface.columns;
  const labelOf = (name: string) => surface.fields[name]?.label ?? name;
  const extra = onRestore ? "max-lg:hidden" : "max-sm:hidden";
  const columns: Column[] = [
    [labelOf(heading), "w-2/5 pl-4 max-lg:w-[30%]"],
    ...others.map((name): Column => [labelOf(name), classes(widthOf(surface, name), extra)]),
    [onRestore ? "Deleted" : "Updated", classes("w-36", onRestore && "max-sm:hidden")],
    ...(onRestore ? [["Permanently deleted", "w-48"] as const] : []),
  ];
  return (
    <PlainTable
      caption={onRestore ? `Deleted ${surface.title.toLowerCase()}` : surface.title}
      columns={columns}
      stale={stale}
    >
      {records.map((record) => (
        <PlainRow key={record.id}>
          <PlainCell className="min-w-0 flex-1 pl-4">
            <RowLink to={linkTo({ record: record.id })}>{nameOf(surface, record)}</RowLink>
            <p className="truncate text-muted sm:hidden">{lineOf(surface, record)}</p>
          </PlainCell>
          {others.map((name) => {
            const field = surface.fields[name];
            return (
              <PlainCell key={name} className={classes("truncate", extra)}>
                {field && <FieldValue field={field} value={record[name]} />}
              </PlainCell>
            );
          })}
          <PlainCell
            className={classes(
              "whitespace-nowrap text-muted tabular-nums",
              onRestore && "max-sm:hidden",
            )}
          >
            <Time iso={record.deleted_at ?? record.updated_at} />
          </PlainCell>
          {onRestore && record.purge_at && (
            <PlainCell className="whitespace-nowrap">
              <span className="flex items-center justify-between gap-2 max-sm:flex-col max-sm:items-end">
                <span className="tabular-nums">{daysLeft(record.purge_at, Date.now())}</span>
                <Button size="sm" className="relative z-1" onClick={() => onRestore(record)}>
                  <RotateCcw aria-hidden className="size-4 text-muted" />
                  Restore<span className="sr-only"> {nameOf(surface, record)}</span>
                </Button>
              </span>
            </PlainCell>
          )}
        </PlainRow>
      ))}
    </PlainTable>
  );
}

/** Short columns leave room to the ones with text. */
function widthOf({ fields }: Surface, name: string): string | undefined {
  const input = fields[name]?.input;
  return input === "switch" ? "w-24" : input === "time" ? "w-36" : undefined;
}

/** The second line of a narrow row: its text fields, not its times. */
function lineOf({ columns: [, ...others], fields }: Surface, record: StoredRecord): string {
  return others
    .filter((name) => fields[name]?.input === "line")
    .map((name) => record[name])
    .filter((value) => typeof value === "string" && value !== "")
    .join(" · ");
}
