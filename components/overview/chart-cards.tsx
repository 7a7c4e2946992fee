"use client";

import { Card } from "#components/kit/card.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Bars } from "#components/ui/bar-chart.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { formatMoment, formatShortDay } from "#components/ui/moment.ts";
import type { Overview } from "#lib/overview/contract.ts";
import { dueExceptions, pastExceptions } from "./links.ts";
import { burnDown } from "./outlook.ts";
import { Count, NumberCell, NumberRow, NumberTable } from "./parts.tsx";

type Props = { overview: Overview };

const HEIGHT_PX = 190;
const CHART = "h-47.5";

/** The exceptions due in the next 8 hours, and how many of them will breach at the present rate. */
export function OutlookCard({ overview: { outlook, as_of } }: Props) {
  const { timeZone } = usePreferences();
  const tenant = useTenantId();
  const steps = burnDown(outlook, Date.parse(as_of));
  const last = steps.at(-1);
  if (!last) return null;
  const clock = (iso: string) => formatMoment(iso, timeZone).split(", ")[1] ?? iso;
  const rate = outlook.closed_per_hour.toLocaleString("en", { maximumFractionDigits: 1 });
  return (
    <Card
      title="Next 8 hours"
      hint="Upcoming deadlines, and how many will breach at the current rate"
    >
      <p className="text-sm">
        <Count
          value={last.due}
          href={dueExceptions(tenant, last.due_before)}
          label="open exceptions"
        />{" "}
        due by {clock(last.due_before)}.{" "}
        {last.breaching === 0 ? (
          "At the current rate, none will breach."
        ) : (
          <>
            At the current rate,{" "}
            {last.breaching === last.due ? (
              <strong className="font-semibold">all of them</strong>
            ) : (
              <>
                about{" "}
                <strong className="font-semibold">{last.breaching.toLocaleString("en")}</strong>
              </>
            )}{" "}
            will breach.
          </>
        )}{" "}
        <span className="text-muted">
          Rate:{" "}
          <Count
            value={outlook.closed_count}
            href={pastExceptions(tenant, "closed", outlook.rate_since)}
            label="exceptions"
          />{" "}
          closed since {clock(outlook.rate_since)}, {rate} an hour. Assumes the earliest deadlines
          are handled first and nothing new arrives.
        </span>
      </p>
      <Legend
        series={[
          { name: "Will breach", colour: "bg-danger" },
          { name: "Closed in time", colour: "bg-accent" },
        ]}
      />
      <div className={CHART}>
        <Bars
          label={
            `Deadlines in the next hours, cumulative: ${last.due}, of ` +
            `which ${last.breaching} will breach at the current rate. ` +
            "Use the arrow keys to read values, or see the table below."
          }
          data={steps.map(({ due_before, due, breaching }) => ({
            name: clock(due_before),
            saved: due - breaching,
            breaching,
          }))}
          series={[
            { key: "breaching", name: "will breach", fill: "fill-danger" },
            { key: "saved", name: "closed in time", fill: "fill-accent" },
          ]}
          height={HEIGHT_PX}
        />
      </div>
      <Disclosure title="Show as table">
        <NumberTable
          caption="Deadlines in the next hours, cumulative"
          columns={["By", "Due", "Breaching"]}
        >
          {steps.map(({ due_before, due, breaching }) => (
            <NumberRow key={due_before} name={clock(due_before)}>
              <NumberCell>
                <Count
                  value={due}
                  href={dueExceptions(tenant, due_before)}
                  label={`due by ${clock(due_before)}`}
                />
              </NumberCell>
              <NumberCell>{breaching.toLocaleString("en")}</NumberCell>
            </NumberRow>
          ))}
        </NumberTable>
      </Disclosure>
    </Card>
  );
}

const formatDayLabel = (day: string) => formatShortDay(day, "UTC");

const DAY_MS = 86_400_000;
/** The ends of a day in UTC. */
const endsOf = (day: string) =>
  [0, DAY_MS].map((ms) => new Date(Date.parse(day) + ms).toISOString()) as [string, string];

/** Breaches and closed exceptions of 30 days. */
export function DaysCard({ overview: { days } }: Props) {
  const tenant = useTenantId();
  const first = days[0]?.day ?? "";
  return (
    <Card title="Last 30 days" hint="Exceptions breached, and resolved or dismissed, per day (UTC)">
      <Legend
        series={[
          { name: "Breached", colour: "bg-danger" },
          { name: "Closed", colour: "bg-accent" },
        ]}
      />
      <div className={CHART}>
        <Bars
          label={
            `Breached and closed per day since ${first && formatDayLabel(first)}. ` +
            "Use the arrow keys to read values, or see the table below."
          }
          data={days.map(({ day, breached_count, closed_count }) => ({
            name: formatDayLabel(day),
            breached: breached_count,
            closed: closed_count,
          }))}
          series={[
            { key: "breached", name: "breached", fill: "fill-danger" },
            { key: "closed", name: "closed", fill: "fill-accent" },
          ]}
          height={HEIGHT_PX}
          grouped
        />
      </div>
      <Disclosure title="Show as table">
        <NumberTable caption="Breached and closed per day" columns={["Day", "Breached", "Closed"]}>
          {days.toReversed().map(({ day, breached_count, closed_count }) => (
            <NumberRow key={day} name={formatDayLabel(day)}>
              <NumberCell>
                <Count
                  value={breached_count}
                  href={pastExceptions(tenant, "breached", ...endsOf(day))}
                  label={`breached on ${formatDayLabel(day)}`}
                />
              </NumberCell>
              <NumberCell>
                <Count
                  value={closed_count}
                  href={pastExceptions(tenant, "closed", ...endsOf(day))}
                  label={`closed on ${formatDayLabel(day)}`}
                />
              </NumberCell>
            </NumberRow>
          ))}
        </NumberTable>
      </Disclosure>
    </Card>
  );
}

/** `colour`: a Tailwind class. */
function Legend({ series }: { series: readonly { name: string; colour: string }[] }) {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
      {series.map(({ name, colour }) => (
        <span key={name} className="inline-flex items-center gap-1.5">
          <span aria-hidden className={`size-2.5 rounded-sm ${colour}`} />
          {name}
        </span>
      ))}
    </p>
  );
}
