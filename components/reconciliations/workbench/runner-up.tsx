"use client";

import { useQuery } from "@tanstack/react-query";
import { lineName } from "#components/kit/line-name.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { MatchExplanation } from "#lib/matching/contract.ts";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import { lineById } from "../queries.ts";
import { describeMargin } from "./labels.ts";

/** The runner-up and its distance. `loaded`: lines that don't have to be fetched. */
export function RunnerUp({
  explanation: { runner_up, margin },
  loaded,
}: {
  explanation: Pick<MatchExplanation, "runner_up" | "margin">;
  loaded: readonly OpenLine[];
}) {
  const known = runner_up && loaded.find(({ id }) => id === runner_up.line_id);
  const { data } = useQuery({
    ...lineById(useTenantId(), runner_up?.line_id ?? ""),
    enabled: runner_up !== null && !known,
  });
  if (margin === null) return "None";
  const line = known ?? data;
  if (!line) return `The next best is ${describeMargin(margin)}.`;
  return (
    <>
      <span className="block font-medium">{lineName(line)}</span>
      <span className="block text-muted tabular-nums">
        {[
          known && formatMoney(known.open_minor, known.currency),
          line.counterparty && line.reference,
          formatDay(line.value_date, "UTC"),
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
      {capitalised(describeMargin(margin))}
    </>
  );
}

function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
