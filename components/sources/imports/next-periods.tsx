"use client";

import { useQueries } from "@tanstack/react-query";
import Link from "next/link";
import { useTenantId } from "#components/kit/member.tsx";
import { periodsWith } from "../queries.ts";

const SHOWN = 3;
const LINK = "text-accent-text underline underline-offset-2";

/** Leads from an import to the open periods that compare its source with another one. */
export function NextPeriods({ sourceId }: { sourceId: string }) {
  const tenant = useTenantId();
  const sides = useQueries({
    queries: [periodsWith(tenant, "left", sourceId), periodsWith(tenant, "right", sourceId)],
  });
  if (!sides.every(({ data }) => data)) return null;
  const periods = sides
    .flatMap(({ data }) => data?.items ?? [])
    .filter(({ status }) => status === "open" || status === "in_progress")
    .slice(0, SHOWN);
  if (periods.length === 0)
    return (
      <p className="text-sm text-muted">
        Next:{" "}
        <Link href={`/${tenant}/reconciliations?new=true`} className={LINK}>
          compare this source with another one
        </Link>
        .
      </p>
    );
  return (
    <div className="flex flex-col gap-1 text-sm">
      <p className="text-muted">Next: see what matches.</p>
      <ul className="flex flex-col gap-1">
        {periods.map(({ id, name, left_source, right_source }) => (
          <li key={id} className="wrap-anywhere">
            <Link href={`/${tenant}/reconciliations/${id}`} className={LINK}>
              {name}
            </Link>{" "}
            <span className="text-muted">
              {left_source} ↔ {right_source}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
