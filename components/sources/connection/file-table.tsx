"use client";

import { RowLink } from "#components/kit/row-link.tsx";
import { type Column, PlainCell, PlainRow, PlainTable } from "#components/kit/table.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { Badge } from "#components/ui/badge.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { Time } from "#components/ui/time.tsx";
import type { ConnectionFile } from "#lib/connections/contract.ts";
import { OUTCOMES } from "./labels.ts";

const COLUMNS: readonly Column[] = [
  ["File", "pl-4"],
  ["Outcome", "w-36"],
  ["New lines", "w-28 whitespace-nowrap text-right tabular-nums @max-3xl:hidden"],
  ["Found", "w-40 pl-6 max-md:hidden"],
];

/** The files that a connection found, with links to their imports. */
export function FileTable({
  items,
  linkTo,
}: {
  items: ConnectionFile[];
  linkTo: (to: { import: string }) => PageLink;
}) {
  return (
    <PlainTable caption="Files of the connection" columns={COLUMNS}>
      {items.map(
        ({ id, path, sender, outcome, error, import_id, line_count, created_at, taken_at }) => {
          const { label, tone, icon } = OUTCOMES[outcome];
          return (
            <PlainRow key={id}>
              <PlainCell className="min-w-0 flex-1 pl-4">
                {import_id ? (
                  <RowLink to={linkTo({ import: import_id })}>{path}</RowLink>
                ) : (
                  <span className="font-medium wrap-anywhere">{path}</span>
                )}
                <p className="text-muted wrap-anywhere">
                  {noteOn({ sender, error, outcome, taken_at })}
                  <span className="md:hidden">
                    {" "}
                    <Time iso={created_at} />
                  </span>
                </p>
              </PlainCell>
              <PlainCell>
                <Badge tone={tone} icon={icon}>
                  {label}
                </Badge>
                {line_count !== null && (
                  <p className="pt-1 text-muted @3xl:hidden">{pluralize(line_count, "new line")}</p>
                )}
              </PlainCell>
              <PlainCell className="text-right whitespace-nowrap tabular-nums @max-3xl:hidden">
                {line_count?.toLocaleString("en")}
              </PlainCell>
              <PlainCell className="pl-6 whitespace-nowrap text-muted max-md:hidden">
                <Time iso={created_at} />
              </PlainCell>
            </PlainRow>
          );
        },
      )}
    </PlainTable>
  );
}

function noteOn({
  sender,
  error,
  outcome,
  taken_at,
}: Pick<ConnectionFile, "sender" | "error" | "outcome" | "taken_at">): string {
  const parts = [
    sender && `From ${sender}.`,
    error,
    outcome === "duplicate" && "The same content was imported before.",
    taken_at && "Moved or deleted at the server.",
  ];
  return parts.filter(Boolean).join(" ");
}
