"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { classes } from "#components/ui/classes.ts";
import { formatMoney } from "#components/ui/money.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import type { Run } from "#lib/matching/runs/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { proofOf } from "../queries.ts";
import { suggestionBands } from "../workbench/queries.ts";
import { Bar } from "./bar.tsx";
import { currenciesOf, type Step, waterfallOf } from "./waterfall.ts";

const FILLS: Record<Step["kind"], string> = {
  all: "fill-field",
  rule: "fill-accent",
  people: "fill-muted",
  excluded: "fill-muted opacity-45",
  suggested: "fill-accent opacity-45",
  open: "fill-risk-rail",
};
const NUMBER = "py-1.5 pl-4 text-right whitespace-nowrap tabular-nums";

/**
 * The lines that each rule settled, from all lines to the open ones: a chart that is also its
 * table.
 */
export function RunWaterfall({
  run,
  reconciliation,
}: {
  run: Run;
  reconciliation: Reconciliation;
}) {
  const tenant = useTenantId();
  const { id, closed_at } = reconciliation;
  const { data: proof } = useQuery(proofOf(tenant, id));
  const { data: bands } = useQuery(suggestionBands(tenant, id));
  const currencies = currenciesOf(run, { proof });
  const [chosen, setChosen] = useState(currencies[0] ?? null);
  const currency =
    chosen !== null && currencies.includes(chosen) ? chosen : (currencies[0] ?? null);
  const steps = waterfallOf(run, reconciliation, { proof, suggested: bands?.suggested });
  const isSplit = steps.some(({ kind }) => kind === "suggested");
  /** The page on which the open lines of a step can be decided. */
  const wayTo = ({ kind, lines }: Step) => {
    if (closed_at !== null || lines === 0 || (kind !== "suggested" && kind !== "open")) return null;
    const narrowed = isSplit ? `?suggested=${kind === "suggested"}` : "";
    return `/${tenant}/reconciliations/${id}/workbench${narrowed}`;
  };
  return (
    <>
      {currencies.length > 1 && currency && (
        <Segmented
          label="Currency"
          value={currency}
          options={currencies.map((value) => ({ value, label: value }))}
          onChange={setChosen}
        />
      )}
      <table className="w-full text-sm">
        <caption className="sr-only">What each rule matched</caption>
        <thead className="text-xs text-muted">
          <tr className="border-b border-line">
            <th scope="col" className="py-1.5 text-left font-medium">
              Step
            </th>
            <th scope="col" className="w-2/5 py-1.5 pl-4 text-left font-medium max-sm:hidden">
              <span className="sr-only">Chart</span>
            </th>
            <th scope="col" className={`${NUMBER} font-medium`}>
              Lines
            </th>
            <th scope="col" className={`${NUMBER} font-medium max-md:hidden`}>
              Matches
            </th>
            <th scope="col" className={`${NUMBER} font-medium max-md:hidden`}>
              Suggested
            </th>
            {currency && (
              <>
                <th scope="col" className={`${NUMBER} font-medium`}>
                  <SourceHead name={reconciliation.left_source} />
                </th>
                <th scope="col" className={`${NUMBER} font-medium max-lg:hidden`}>
                  <SourceHead name={reconciliation.right_source} />
                </th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <Row key={step.key} step={step} currency={currency} href={wayTo(step)} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function SourceHead({ name }: { name: string }) {
  return (
    <span title={name} className="ml-auto block max-w-40 truncate max-sm:max-w-28">
      {name}
    </span>
  );
}

function Row({
  step: { kind, name, lines, matches, suggested, amounts, from, to },
  currency,
  href,
}: {
  step: Step;
  currency: string | null;
  href: string | null;
}) {
  const money = amounts?.find((amount) => amount.currency === currency);
  const idle = kind === "rule" && lines === 0 && suggested === 0;
  return (
    <tr
      data-risk={kind === "open" ? "medium" : undefined}
      className={classes(
        "border-b border-line last:border-0",
        idle && "text-muted",
        kind !== "rule" && "font-medium",
      )}
    >
      <th scope="row" className="py-1.5 text-left font-normal">
        {href ? (
          <PrefetchLink href={href} className="font-medium text-accent-text hover:underline">
            {name}
          </PrefetchLink>
        ) : (
          <span className={kind === "rule" ? undefined : "font-medium"}>{name}</span>
        )}
        <Bar from={from} to={to} fill={FILLS[kind]} className="mt-1 sm:hidden" />
      </th>
      <td className="pl-4 max-sm:hidden">
        <Bar from={from} to={to} fill={FILLS[kind]} />
      </td>
      <td className={NUMBER}>{lines.toLocaleString("en")}</td>
      <td className={`${NUMBER} max-md:hidden`}>{count(matches)}</td>
      <td className={`${NUMBER} max-md:hidden`}>{kind === "rule" ? count(suggested) : null}</td>
      {currency && (
        <>
          <td className={NUMBER}>
            {money !== undefined && formatMoney(money.left_minor, currency)}
          </td>
          <td className={`${NUMBER} max-lg:hidden`}>
            {money !== undefined && formatMoney(money.right_minor, currency)}
          </td>
        </>
      )}
    </tr>
  );
}

function count(number: number | null) {
  if (number === null) return null;
  return number === 0 ? <span className="text-muted">–</span> : number.toLocaleString("en");
}
