type Moved = {
  changed: number;
  earlier: number;
  later: number;
  newly_breached: number;
  no_longer_breached: number;
};

/** How many open deadlines a change moves, and in which direction. */
export function DeadlineImpact({
  changed,
  earlier,
  later,
  newly_breached,
  no_longer_breached,
  note,
}: Moved & { note: string }) {
  return (
    <section aria-label="Open exceptions that change" className="flex flex-col gap-3">
      <p className="text-sm">
        <strong>
          {openExceptions(changed)} {changed === 1 ? "gets" : "get"} a new deadline
        </strong>
        {note}
      </p>
      <dl className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        <Count name="Earlier" value={earlier} />
        <Count name="Later" value={later} />
        <Count
          name="Newly breached"
          value={newly_breached}
          risk={newly_breached > 0 ? "breached" : undefined}
        />
        <Count
          name="No longer breached"
          value={no_longer_breached}
          risk={no_longer_breached > 0 ? "low" : undefined}
        />
      </dl>
    </section>
  );
}

/** "12 open exceptions" */
export function openExceptions(count: number): string {
  return `${count.toLocaleString("en")} open ${count === 1 ? "exception" : "exceptions"}`;
}

function Count({
  name,
  value,
  risk,
}: {
  name: string;
  value: number;
  risk?: "breached" | "low" | undefined;
}) {
  return (
    <div
      data-risk={risk}
      className="flex flex-col justify-between rounded-md border border-line px-3 py-2"
    >
      <dt className="text-xs text-muted">{name}</dt>
      <dd className={`text-lg font-semibold tabular-nums ${risk ? "text-risk-text" : ""}`}>
        {value.toLocaleString("en")}
      </dd>
    </div>
  );
}
