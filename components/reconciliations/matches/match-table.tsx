"use client";

import { lineName } from "#components/kit/line-name.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { CardRow, CardTable, Named } from "#components/kit/table.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Match } from "#lib/matching/contract.ts";
import { lineOfPeriod } from "../period-lines.ts";
import { describeMethod, MatchState } from "./labels.tsx";

type Names = { left_source: string; right_source: string };
type Member = Match["members"][number];

const GRID =
  "@4xl:grid @4xl:grid-cols-[minmax(9rem,1fr)_minmax(9rem,1fr)_minmax(8rem,0.7fr)_7rem_10rem_7.5rem] @4xl:gap-x-4";
/** Further lines of a side are only counted. */
const SHOWN_MAX = 3;

/** Matches with their lines side by side; each line leads to its panel. */
export function MatchTable({
  items,
  names,
  stale,
}: {
  items: readonly Match[];
  names: Names;
  stale: boolean;
}) {
  const columns = [
    names.left_source,
    names.right_source,
    "Rule",
    "State",
    "Decided",
    ["Amount", "text-right"] as const,
  ];
  return (
    <CardTable caption="Matches" columns={columns} grid={GRID} stale={stale}>
      {items.map((match) => (
        <MatchRow key={match.id} match={match} names={names} />
      ))}
    </CardTable>
  );
}

function MatchRow({ match, names }: { match: Match; names: Names }) {
  const {
    state,
    method,
    decided_by,
    decided_at,
    created_at,
    amount_minor,
    residual_minor,
    currency,
  } = match;
  return (
    <CardRow grid={GRID} className="gap-y-1 py-2.5 @4xl:items-start">
      <Side match={match} side="left" name={names.left_source} />
      <Side match={match} side="right" name={names.right_source} />
      <td className="min-w-0 @4xl:truncate">
        <Named name="Rule">{describeMethod(method)}</Named>
      </td>
      <td>
        <MatchState state={state} />
      </td>
      <td className="text-muted">
        <ActorName iso={decided_at ?? created_at} actor={decided_by} />
      </td>
      <td className="whitespace-nowrap tabular-nums @max-4xl:ml-auto @4xl:text-right">
        <span className="font-medium">{formatMoney(amount_minor, currency)}</span>
        {residual_minor !== 0 && (
          <span className="block text-xs text-muted">
            {formatMoney(residual_minor, currency)} residual
          </span>
        )}
      </td>
    </CardRow>
  );
}

function Side({
  match: { members, currency, reconciliation_id },
  side,
  name,
}: {
  match: Match;
  side: Member["side"];
  name: string;
}) {
  const lines = members.filter((member) => member.side === side);
  return (
    <td className="min-w-0 @max-4xl:basis-full compact:basis-[calc(50%-0.5rem)]">
      <Named name={name}>
        <ul className="min-w-0">
          {lines.slice(0, SHOWN_MAX).map((line) => (
            <MatchedLine
              key={line.line_id}
              line={line}
              currency={currency}
              period={reconciliation_id}
              alone={lines.length === 1}
            />
          ))}
        </ul>
        {lines.length > SHOWN_MAX && (
          <p className="text-xs text-muted">
            and {pluralize(lines.length - SHOWN_MAX, "more line")}
          </p>
        )}
        {lines.length === 0 && <span className="text-muted">None</span>}
      </Named>
    </td>
  );
}

/** `alone`: its amount is the whole amount of the match. */
function MatchedLine({
  line,
  currency,
  period,
  alone,
}: {
  line: Member;
  currency: string;
  period: string;
  alone: boolean;
}) {
  const { line_id, value_date, reference = null, counterparty = null, allocated_minor } = line;
  const name = lineName({ counterparty, reference, description: null });
  const more = [
    value_date && formatDay(value_date, "UTC"),
    reference !== name && reference,
    !alone && formatMoney(allocated_minor, currency),
  ];
  return (
    <li className="min-w-0 pb-0.5 compact:flex compact:items-baseline compact:gap-x-2 compact:pb-0">
      <PrefetchLink
        href={lineOfPeriod(useTenantId(), period, line_id)}
        className="block truncate py-0.5 font-medium compact:py-0 underline-offset-2 hover:underline"
      >
        {name}
      </PrefetchLink>
      <span className="block truncate text-xs text-muted tabular-nums">
        {more.filter(Boolean).join(" · ")}
      </span>
    </li>
  );
}
