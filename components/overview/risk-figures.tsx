"use client";

import { useTenantId } from "#components/kit/member.tsx";
import { classes } from "#components/ui/classes.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Overview } from "#lib/overview/contract.ts";
import { openExceptions } from "./links.ts";

const FIGURES = [
  {
    name: "Breached",
    hint: "past the deadline",
    count: "breached_count",
    risk: "breached",
    filter: "breached",
  },
  {
    name: "At risk",
    hint: "4 hours or less left",
    count: "at_risk_count",
    risk: "high",
    filter: "at_risk",
  },
  {
    name: "On track",
    hint: "over 4 hours left",
    count: "on_track_count",
    risk: "low",
    filter: "low",
  },
  {
    name: "Total open",
    hint: "open or in review",
    count: "total_open",
    risk: undefined,
    filter: undefined,
  },
] as const;

/** All open exceptions of the tenant by risk. */
export function RiskFigures({ summary }: { summary: Overview["summary"] }) {
  const tenant = useTenantId();
  return (
    <ul aria-label="Open exceptions" className="grid grid-cols-2 gap-3 @2xl:grid-cols-4">
      {FIGURES.map(({ name, hint, count, risk, filter }) => (
        <li
          key={name}
          data-risk={risk}
          className="relative overflow-hidden rounded-lg border border-line bg-raised px-4 py-3 shadow-raised hover:bg-hover"
        >
          {risk && <span aria-hidden className="absolute inset-y-0 left-0 w-1 bg-risk-rail" />}
          <PrefetchLink
            href={openExceptions(tenant, { breach_risk: filter })}
            className="block outline-none after:absolute after:inset-0"
          >
            <span className="block text-sm font-medium text-muted">{name}</span>{" "}
            <span
              className={classes(
                "block text-2xl font-semibold tracking-tight tabular-nums",
                summary[count] > 0 && risk && "text-risk-text",
              )}
            >
              {summary[count].toLocaleString("en")}
            </span>{" "}
            <span className="hidden truncate text-xs text-muted @xl:block">{hint}</span>
          </PrefetchLink>
        </li>
      ))}
    </ul>
  );
}
