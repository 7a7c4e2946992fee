"use client";

import { useQuery } from "@tanstack/react-query";
import { BadgeCheck, Lock, ShieldAlert } from "lucide-react";
import { Card } from "#components/kit/card.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { PeriodProof, Proof } from "#lib/matching/periods/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { periodLines } from "../period-lines.ts";
import { proofOf } from "../queries.ts";
import { leftMinusRight } from "./left-minus-right.ts";

/** The sums that prove that no cent is missing, reloaded when a match changes. */
export function ProofCard({ reconciliation }: { reconciliation: Reconciliation }) {
  const { data, error, refetch } = useQuery(proofOf(useTenantId(), reconciliation.id));
  return (
    <Card
      title="Proof"
      hint="Added up from the lines themselves: lines = matched + excluded + open"
      aside={
        data && data.items.length > 0 && !reconciliation.preparing && <ProofBadge proof={data} />
      }
    >
      {!data && error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : !data ? (
        <PartSkeleton
          label="Adding up the proof"
          bars={["h-5 w-full", "h-5 w-11/12", "h-5 w-10/12", "h-5 w-9/12", "h-5 w-8/12"]}
        />
      ) : data.items.length === 0 ? (
        <p className="py-6 text-center text-sm text-muted">
          No lines yet. Import lines into both sources.
        </p>
      ) : (
        <>
          <ProofTable proof={data} reconciliation={reconciliation} />
          {data.closing && data.closing.holds !== null && <ClosingNote closing={data.closing} />}
        </>
      )}
    </Card>
  );
}

/** Whether the closed data is unchanged. */
function ClosingNote({
  closing: { digest, holds },
}: {
  closing: NonNullable<PeriodProof["closing"]>;
}) {
  return (
    <p className="mt-3 flex flex-wrap items-center gap-2 text-xs text-muted">
      <Badge tone={holds ? "good" : "danger"} icon={holds ? Lock : ShieldAlert}>
        {holds ? "Unchanged since it closed" : "Changed since it closed"}
      </Badge>
      <span className="min-w-0 wrap-anywhere">SHA-256 {digest}</span>
    </p>
  );
}

export function ProofBadge({ proof }: { proof: Proof }) {
  return proof.holds ? (
    <Badge tone="good" icon={BadgeCheck}>
      Holds to the cent
    </Badge>
  ) : (
    <Badge tone="danger" icon={ShieldAlert}>
      Doesn't hold
    </Badge>
  );
}

/** The width of the first column of a table of two sides. */
export const SIDE_HEAD = "w-1/3 sm:w-2/5";
const NUMBER = "py-1.5 pl-2 text-right tabular-nums wrap-anywhere sm:pl-4";
const TERMS = [
  ["lines", "Lines"],
  ["matched", "Matched"],
  ["excluded", "Excluded"],
  ["open", "Open"],
] as const satisfies readonly (readonly [keyof Proof["items"][number], string])[];
const EXPLAINED = [
  ["adjustments", "Adjustments"],
  ["residual", "Residuals"],
] as const;

/** Sums that link to their lines. */
const LINKED: Partial<Record<(typeof TERMS)[number][0], Parameters<typeof periodLines>[2]>> = {
  lines: {},
  matched: { state: "matched" },
  excluded: { state: "excluded" },
  open: { state: "outstanding" },
};

/**
 * A column per currency and side; a row per term. With the reconciliation's ID, its sums are links.
 */
export function ProofTable({
  proof,
  reconciliation,
}: {
  proof: Proof;
  reconciliation: Pick<Reconciliation, "left_source" | "right_source"> &
    Partial<Pick<Reconciliation, "id">>;
}) {
  const tenant = useTenantId();
  const currencies = [...new Set(proof.items.map(({ currency }) => currency))];
  return (
    <div className="flex flex-col gap-4">
      {currencies.map((currency) => {
        const sides = proof.items.filter((item) => item.currency === currency);
        return (
          <div key={currency}>
            <table className="w-full table-fixed text-sm">
              <caption className="sr-only">Proof in {currency}</caption>
              <thead className="text-xs text-muted">
                <tr className="border-b border-line align-bottom">
                  <th scope="col" className={`${SIDE_HEAD} py-1.5 text-left font-medium`}>
                    {currency}
                  </th>
                  {sides.map(({ side }) => (
                    <th
                      key={side}
                      scope="col"
                      className="py-1.5 pl-2 text-right font-medium sm:pl-4"
                    >
                      <span className="line-clamp-2 wrap-anywhere">
                        {side === "left" ? reconciliation.left_source : reconciliation.right_source}
                      </span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {TERMS.map(([term, name]) => (
                  <tr key={term} className="border-b border-line last:border-0">
                    <th scope="row" className="py-1.5 text-left font-normal text-muted">
                      {name}
                    </th>
                    {sides.map((side) => (
                      <td key={side.side} className={NUMBER}>
                        {LINKED[term] && Number(side[term]) !== 0 && reconciliation.id ? (
                          <PrefetchLink
                            href={periodLines(tenant, reconciliation.id, {
                              ...LINKED[term],
                              side: side.side,
                              currency,
                            })}
                            className="text-accent-text hover:underline"
                          >
                            {formatMoney(side[term], currency)}
                          </PrefetchLink>
                        ) : (
                          formatMoney(side[term], currency)
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
                {EXPLAINED.map(([term, name]) => {
                  const minor = leftMinusRight(proof, currency, term);
                  return (
                    minor !== "0" && (
                      <tr key={term} className="border-b border-line last:border-0">
                        <th scope="row" className="py-1.5 text-left font-normal text-muted">
                          {name}
                        </th>
                        <td colSpan={sides.length} className={NUMBER}>
                          <span className="text-muted">left − right</span>{" "}
                          {formatMoney(minor, currency)}
                        </td>
                      </tr>
                    )
                  );
                })}
              </tbody>
            </table>
          </div>
        );
      })}
    </div>
  );
}
