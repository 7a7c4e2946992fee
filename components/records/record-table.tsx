"use client";

import { RotateCcw } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { classes } from "#components/ui/classes.ts";
import { Time } from "#components/ui/time.tsx";
import type { StoredRecord } from "#lib/records/contract.ts";
import type { Surface } from "#lib/records/surfaces/surface.ts";
import { daysLeft } from "./days-left.ts";
import { FieldValue } from "./field-value.tsx";
import { nameOf, surfaceOf } from "./surface.ts";

const CELL = "py-2.5 pr-4 align-middle";

export function RecordTable({
  path,
  records,
  stale,
  hrefOf,
  onOpen,
  onRestore,
}: {
  path: string;
  records: StoredRecord[];
  /** True while the rows of the search before are shown. */
  stale: boolean;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
  /** Given where the rows are the bin's. */
  onRestore?: (record: StoredRecord) => void;
}) {
  const { surface } = surfaceOf(path);
  const [heading, ...others] = surface.columns;
  return (
    <table aria-busy={stale} className={classes("w-full table-fixed text-sm transition-opacity", stale && "opacity-60")}>
      <caption className="sr-only">{onRestore ? `Deleted ${surface.title.toLowerCase()}` : surface.title}</caption>
      <thead className="sticky top-0 z-10 bg-surface text-xs text-muted max-sm:sr-only">
        <tr className="border-b border-line text-left">
          <Heading className="w-2/5 pl-4 max-lg:w-[30%]">{surface.fields[heading]?.label ?? heading}</Heading>
          {others.map((name) => (
            <Heading key={name} className={classes(widthOf(surface, name), onRestore ? "max-lg:hidden" : "max-sm:hidden")}>
              {surface.fields[name]?.label ?? name}
            </Heading>
          ))}
          <Heading className={classes("w-36", onRestore && "max-sm:hidden")}>{onRestore ? "Deleted" : "Updated"}</Heading>
          {onRestore && <Heading className="w-48">Gone for good</Heading>}
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr
            key={record.id}
            className="relative border-b border-line max-sm:flex max-sm:items-center transition-colors duration-100 hover:bg-hover has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-focus"
          >
            <td className={classes(CELL, "min-w-0 flex-1 pl-4")}>
              <a
                href={hrefOf(record.id)}
                onClick={(event) => {
                  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                  event.preventDefault();
                  onOpen(record.id);
                }}
                className="block truncate text-base font-medium outline-none after:absolute after:inset-0"
              >
                {nameOf(surface, record)}
              </a>
              <p className="truncate text-muted sm:hidden">{lineOf(surface, record)}</p>
            </td>
            {others.map((name) => {
              const field = surface.fields[name];
              return (
                <td key={name} className={classes(CELL, "truncate", onRestore ? "max-lg:hidden" : "max-sm:hidden")}>
                  {field && <FieldValue field={field} value={record[name]} />}
                </td>
              );
            })}
            <td className={classes(CELL, "whitespace-nowrap text-muted tabular-nums", onRestore && "max-sm:hidden")}>
              <Time iso={record.deleted_at ?? record.updated_at} />
            </td>
            {onRestore && record.purge_at && (
              <td className={classes(CELL, "whitespace-nowrap")}>
                <span className="flex items-center justify-between gap-2 max-sm:flex-col max-sm:items-end">
                  <span className="tabular-nums">{daysLeft(record.purge_at, Date.now())}</span>
                  <Button size="sm" className="relative z-1" onClick={() => onRestore(record)}>
                    <RotateCcw aria-hidden className="size-4 text-muted" />
                    Restore<span className="sr-only"> {nameOf(surface, record)}</span>
                  </Button>
                </span>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is short leaves its room to what is read. */
function widthOf({ fields }: Surface, name: string): string | undefined {
  const input = fields[name]?.input;
  return input === "switch" ? "w-24" : input === "time" ? "w-36" : undefined;
}

function Heading({ className, children }: { className?: string; children: string }) {
  return (
    <th scope="col" className={classes("h-9 pr-4 font-medium", className)}>
      {children}
    </th>
  );
}

/** The second line of a narrow row: its words, not its times. */
function lineOf({ columns: [, ...others], fields }: Surface, record: StoredRecord): string {
  return others
    .filter((name) => fields[name]?.input === "line")
    .map((name) => record[name])
    .filter((value) => typeof value === "string" && value !== "")
    .join(" · ");
}
