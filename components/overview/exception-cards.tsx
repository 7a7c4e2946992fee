"use client";

import { Card } from "#components/kit/card.tsx";
import { useMember } from "#components/kit/member.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Overview } from "#lib/overview/contract.ts";
import { DeadlineList } from "./deadline-list.tsx";
import { dueExceptions, openExceptions } from "./links.ts";
import { Count, EmptyCard, NumberCell, NumberRow, NumberTable } from "./parts.tsx";

type Props = { overview: Overview };

export function NextCard({ overview: { next, unassigned_count, as_of } }: Props) {
  const { tenant } = useMember();
  return (
    <Card
      title="Breaches next"
      hint="Nearest deadlines of all open exceptions"
      aside={
        unassigned_count > 0 && (
          <p className="text-sm">
            <Count
              value={unassigned_count}
              href={openExceptions(tenant.id, { assigned_to: "none" })}
              label="open exceptions"
            />{" "}
            unassigned
          </p>
        )
      }
    >
      {next.length === 0 ? (
        <EmptyCard>No upcoming deadlines.</EmptyCard>
      ) : (
        <DeadlineList label="Breaches next" items={next} asOf={as_of} />
      )}
    </Card>
  );
}

export function MineCard({ overview }: Props) {
  const { tenant, self } = useMember();
  const { mine, my_next, as_of } = overview;
  const until = lastHour(overview);
  const own = { assigned_to: self };
  return (
    <Card title="Assigned to you" hint="By deadline">
      {mine.open_count === 0 ? (
        <EmptyCard>Nothing is assigned to you.</EmptyCard>
      ) : (
        <>
          <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
            {[
              {
                name: "Breached",
                value: mine.breached_count,
                href: openExceptions(tenant.id, { breach_risk: "breached", ...own }),
              },
              {
                name: "Due in 8 hours",
                value: mine.due_count,
                ...(until && { href: dueExceptions(tenant.id, until, own) }),
              },
              { name: "Open", value: mine.open_count, href: openExceptions(tenant.id, own) },
            ].map(({ name, value, ...link }) => (
              <div key={name} className="flex gap-1.5">
                <dt className="text-muted">{name}</dt>
                <dd className="font-medium">
                  <Count value={value} {...link} label="of yours" />
                </dd>
              </div>
            ))}
          </dl>
          <DeadlineList label="Assigned to you" items={my_next} asOf={as_of} own />
        </>
      )}
    </Card>
  );
}

/** The end of the period in which exceptions count as due. */
function lastHour({ outlook }: Overview): string | undefined {
  return outlook.hours.at(-1)?.due_before;
}

export function MoneyCard({ overview }: Props) {
  const { tenant } = useMember();
  const until = lastHour(overview);
  return (
    <Card title="Money at risk" hint="Open exceptions, by currency">
      {overview.money.length === 0 ? (
        <EmptyCard>No open exceptions with an amount.</EmptyCard>
      ) : (
        <NumberTable
          caption="Money at risk by currency"
          columns={["Currency", "Breached", "Due in 8 hours", "All open"]}
        >
          {overview.money.map(
            ({ currency, breached_minor, breached_count, due_minor, due_count, open_minor }) => (
              <NumberRow key={currency} name={currency}>
                <NumberCell>
                  <Money
                    minor={breached_minor}
                    count={breached_count}
                    currency={currency}
                    href={openExceptions(tenant.id, { currency, breach_risk: "breached" })}
                  />
                </NumberCell>
                <NumberCell>
                  <Money
                    minor={due_minor}
                    count={due_count}
                    currency={currency}
                    href={until && dueExceptions(tenant.id, until, { currency })}
                  />
                </NumberCell>
                <NumberCell>
                  <Count
                    value={formatMoney(open_minor, currency)}
                    href={openExceptions(tenant.id, { currency })}
                  />
                </NumberCell>
              </NumberRow>
            ),
          )}
        </NumberTable>
      )}
    </Card>
  );
}

type MoneyProps = {
  minor: number | string;
  count: number;
  currency: string;
  href: string | undefined;
};

function Money({ minor, count, currency, href }: MoneyProps) {
  if (count === 0) return <span className="text-muted">–</span>;
  return <Count value={formatMoney(minor, currency)} {...(href && { href })} />;
}

export function ReconciliationsCard({ overview: { reconciliations } }: Props) {
  const { tenant } = useMember();
  return (
    <Card title="Open money by reconciliation" hint="Most open exceptions first">
      {reconciliations.length === 0 ? (
        <EmptyCard>No reconciliations with open exceptions.</EmptyCard>
      ) : (
        <NumberTable
          caption="Open exceptions by reconciliation"
          columns={["Reconciliation", "Open", "Money at risk"]}
        >
          {reconciliations.map(({ id, name, open_count, money }) => (
            <NumberRow
              key={id}
              name={
                <PrefetchLink
                  href={`/${tenant.id}/reconciliations/${id}`}
                  className="underline-offset-2 hover:underline"
                >
                  {name}
                </PrefetchLink>
              }
            >
              <NumberCell>
                <Count
                  value={open_count}
                  href={openExceptions(tenant.id, { reconciliation_id: id })}
                  label={`of ${name}`}
                />
              </NumberCell>
              <NumberCell>
                {money.length === 0 ? (
                  <span className="text-muted">–</span>
                ) : (
                  money.map(({ currency, open_minor }) => (
                    <span key={currency} className="block">
                      <Count
                        value={formatMoney(open_minor, currency)}
                        href={openExceptions(tenant.id, { reconciliation_id: id, currency })}
                        label={`of ${name}`}
                      />
                    </span>
                  ))
                )}
              </NumberCell>
            </NumberRow>
          ))}
        </NumberTable>
      )}
    </Card>
  );
}
