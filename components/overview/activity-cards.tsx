"use client";

import { CircleCheck, CircleX, Clock, LoaderCircle, type LucideIcon, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { Card } from "#components/kit/card.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Badge, type Tone } from "#components/ui/badge.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { Overview } from "#lib/overview/contract.ts";
import { importOf, linesOfImport } from "./links.ts";
import { Count, EmptyCard } from "./parts.tsx";

type Props = { overview: Overview };
type Status = Overview["imports"][number]["status"] | Overview["runs"][number]["status"];

const STATUSES: Record<Status, { label: string; icon: LucideIcon; tone: Tone }> = {
  queued: { label: "Queued", icon: Clock, tone: "info" },
  reading: { label: "Importing", icon: LoaderCircle, tone: "info" },
  running: { label: "Running", icon: LoaderCircle, tone: "info" },
  done: { label: "Done", icon: CircleCheck, tone: "good" },
  failed: { label: "Failed", icon: CircleX, tone: "danger" },
  undoing: { label: "Undoing", icon: Undo2, tone: "info" },
  undone: { label: "Undone", icon: Undo2, tone: "neutral" },
};

export function ImportsCard({ overview: { imports, as_of } }: Props) {
  const tenant = useTenantId();
  return (
    <Card title="Last imports">
      {imports.length === 0 ? (
        <EmptyCard>No files imported yet.</EmptyCard>
      ) : (
        <Happenings label="Last imports">
          {imports.map(
            ({
              id,
              source_id,
              source_name,
              file_name,
              status,
              accepted_count,
              refused_count,
              created_at,
            }) => (
              <Happening
                key={id}
                title={file_name ?? source_name}
                href={importOf(tenant, source_id, id)}
                status={status}
                at={created_at}
                asOf={as_of}
              >
                {file_name && <span className="truncate">{source_name}</span>}
                {status === "done" && (
                  <span className="whitespace-nowrap">
                    <Count value={accepted_count} href={linesOfImport(tenant, id)} />{" "}
                    {accepted_count === 1 ? "line" : "lines"}
                  </span>
                )}
                {refused_count > 0 && (
                  <span className="whitespace-nowrap">
                    <Count value={refused_count} href={importOf(tenant, source_id, id)} /> rejected
                  </span>
                )}
              </Happening>
            ),
          )}
        </Happenings>
      )}
    </Card>
  );
}

export function RunsCard({ overview: { runs, as_of } }: Props) {
  const tenant = useTenantId();
  return (
    <Card title="Last runs">
      {runs.length === 0 ? (
        <EmptyCard>No runs yet.</EmptyCard>
      ) : (
        <Happenings label="Last runs">
          {runs.map(
            ({ id, reconciliation_id, reconciliation_name, status, created_at, ...found }) => (
              <Happening
                key={id}
                title={reconciliation_name}
                href={`/${tenant}/reconciliations/${reconciliation_id}`}
                status={status}
                at={created_at}
                asOf={as_of}
              >
                {status === "done" && (
                  <>
                    <Found value={found.suggested_count} label="suggested" />
                    <Found
                      value={found.open_count}
                      label={found.open_count === 1 ? "line open" : "lines open"}
                    />
                    <Found
                      value={found.exceptions_opened}
                      label={
                        found.exceptions_opened === 1 ? "exception opened" : "exceptions opened"
                      }
                    />
                    <PrefetchLink
                      href={`/${tenant}/reconciliations/${reconciliation_id}/workbench`}
                      className="whitespace-nowrap text-accent-text underline-offset-2 hover:underline"
                    >
                      Workbench
                    </PrefetchLink>
                  </>
                )}
              </Happening>
            ),
          )}
        </Happenings>
      )}
    </Card>
  );
}

/**
 * What a run found at that time. Later decisions have changed it, so no page shows exactly these
 * rows.
 */
function Found({ value, label }: { value: number; label: string }) {
  if (value === 0) return null;
  return (
    <span className="whitespace-nowrap">
      <Count value={value} /> {label}
    </span>
  );
}

function Happenings({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="-my-1 divide-y divide-line">
      {children}
    </ul>
  );
}

function Happening({
  title,
  href,
  status,
  at,
  asOf,
  children,
}: {
  title: string;
  href: string;
  status: Status;
  at: string;
  asOf: string;
  children: ReactNode;
}) {
  const { label, icon, tone } = STATUSES[status];
  return (
    <li className="flex items-center gap-3 py-2">
      <span className="min-w-0 flex-1">
        <PrefetchLink
          href={href}
          className="block truncate font-medium underline-offset-2 hover:underline"
        >
          {title}
        </PrefetchLink>
        <span className="flex min-w-0 flex-wrap items-center gap-x-3 text-sm text-muted">
          <RelativeTime iso={at} asOf={asOf} />
          {children}
        </span>
      </span>
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
    </li>
  );
}
