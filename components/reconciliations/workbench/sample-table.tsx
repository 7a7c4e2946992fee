import { matchValueText } from "#components/kit/match-labels.ts";
import { formatMoney } from "#components/ui/money.ts";
import { percent } from "#components/ui/percent.ts";
import type { Match } from "#lib/matching/contract.ts";

const TEXTS = ["counterparty", "reference", "description"];

/** Suggested matches, both sides of each as texts, days and amounts. */
export function SampleTable({ matches }: { matches: readonly Match[] }) {
  return (
    <table className="block text-sm">
      <caption className="sr-only">Sample</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Left and right</th>
          <th scope="col">Amounts</th>
          <th scope="col">Score</th>
        </tr>
      </thead>
      <tbody className="block rounded-lg border border-line">
        {matches.map((match) => (
          <tr
            key={match.id}
            className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 border-b border-line px-3 py-2 last:border-0"
          >
            <td className="min-w-0">
              <Side match={match} side="left" />
              <Side match={match} side="right" />
            </td>
            <td className="text-right tabular-nums">
              <span className="block font-medium">{amountOf(match, "left")}</span>
              <span className="block font-medium">{amountOf(match, "right")}</span>
            </td>
            <td className="col-span-2 text-xs text-muted tabular-nums">
              {match.score !== null && percent(match.score)}
              {match.residual_minor !== 0 &&
                ` · ${formatMoney(match.residual_minor, match.currency)} left over`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Side({
  match: { explanation, members, currency },
  side,
}: {
  match: Match;
  side: "left" | "right";
}) {
  const lines = members.filter((member) => member.side === side).length;
  const texts = explanation.fields
    .filter(({ field }) => TEXTS.includes(field))
    .map((field) => field[side]);
  const day = explanation.fields.find(({ field }) => field === "value_date")?.[side];
  const parts = [
    ...texts,
    day && matchValueText("value_date", day, currency),
    lines > 1 && `${lines} lines`,
  ]
    .filter(Boolean)
    .join(" · ");
  return (
    <span className="block truncate" title={parts}>
      <span className="sr-only">{side === "left" ? "Left: " : "Right: "}</span>
      {lines === 0 ? <span className="text-muted">None</span> : parts || "No text"}
    </span>
  );
}

function amountOf({ members, currency }: Match, side: "left" | "right"): string {
  const own = members.filter((member) => member.side === side);
  if (own.length === 0) return "–";
  return formatMoney(
    own.reduce((sum, { allocated_minor }) => sum + allocated_minor, 0),
    currency,
  );
}
