"use client";

import { useQueries } from "@tanstack/react-query";
import { lineName } from "#components/kit/line-name.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { Line } from "#lib/lines/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import { lineById } from "../queries.ts";

type Sample = NonNullable<Run["impact"]>["samples"][number];

const CHANGES: Record<Sample["change"], string> = {
  newly_matched: "New",
  no_longer_matched: "Lost",
  changed: "Changed",
};
const TONES: Record<Sample["change"], string> = {
  newly_matched: "good",
  no_longer_matched: "warning",
  changed: "info",
};
/** The maximum number of lines shown per match. Others are only counted. */
const LINES_SHOWN = 2;

/**
 * Some of the matches that a change of the rules adds, removes or changes, by the texts of their
 * lines.
 */
export function TrialSamples({ samples }: { samples: readonly Sample[] }) {
  return (
    <table className="block text-sm">
      <caption className="sr-only">Matches that would change</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Change</th>
          <th scope="col">Lines</th>
          <th scope="col">Money and rule</th>
        </tr>
      </thead>
      <tbody className="block">
        {samples.map((sample) => (
          <Row key={`${sample.change} ${sample.line_ids.join(" ")}`} sample={sample} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ sample: { change, rule, line_ids, currency, amount_minor } }: { sample: Sample }) {
  const tenant = useTenantId();
  const samples = useQueries({
    queries: line_ids.slice(0, LINES_SHOWN).map((id) => lineById(tenant, id)),
  });
  const more = line_ids.length - samples.length;
  return (
    <tr className="grid grid-cols-[4.5rem_minmax(0,1fr)_auto] gap-x-3 border-b border-line py-2 last:border-0">
      <th scope="row" data-tone={TONES[change]} className="text-left font-medium text-tone-ink">
        {CHANGES[change]}
      </th>
      <td className="min-w-0">
        {samples.map(({ data }, place) =>
          data ? (
            <LineText key={line_ids[place]} line={data} />
          ) : (
            <Skeleton key={line_ids[place]} className="my-1 h-3.5 w-3/4" />
          ),
        )}
        {more > 0 && (
          <span className="block text-muted">
            and {more === 1 ? "1 more line" : `${more.toLocaleString("en")} more lines`}
          </span>
        )}
      </td>
      <td className="text-right">
        <span className="block font-medium tabular-nums">
          {formatMoney(amount_minor, currency)}
        </span>
        <span className="block max-w-32 truncate text-xs text-muted" title={rule}>
          {rule}
        </span>
      </td>
    </tr>
  );
}

function LineText({ line }: { line: Line }) {
  const parts = [
    lineName(line),
    line.counterparty && line.reference,
    formatDay(line.value_date, "UTC"),
  ]
    .filter(Boolean)
    .join(" · ");
  return (
    <span className="block truncate" title={parts}>
      {parts}
    </span>
  );
}
