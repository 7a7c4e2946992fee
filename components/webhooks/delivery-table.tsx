"use client";

import { Ago } from "#components/ui/ago.tsx";
import { classes } from "#components/ui/classes.ts";
import type { Delivery } from "#lib/webhooks/deliveries/contract.ts";
import { Countdown } from "./countdown.tsx";
import { DeliveryBadge } from "./delivery-badge.tsx";
import { FAILURES, shownDuration } from "./words.ts";

const COLUMNS = "@4xl:grid @4xl:grid-cols-[7.5rem_minmax(12rem,1fr)_minmax(10rem,1fr)_6rem_8rem] @4xl:gap-x-4";

export function DeliveryTable({
  items,
  asOf,
  stale,
  hrefOf,
  onOpen,
}: {
  items: Delivery[];
  asOf: string;
  /** True while the rows of the filters before are shown. */
  stale: boolean;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}) {
  return (
    <table aria-busy={stale} className={classes("block border-t border-line transition-opacity", stale && "opacity-60")}>
      <caption className="sr-only">Deliveries, newest first</caption>
      <thead className="sticky top-0 z-10 hidden border-b border-line bg-surface text-xs text-muted @4xl:block">
        <tr className={classes("h-9 items-center px-2", COLUMNS)}>
          {["State", "Event", "Last answer", "Attempts", "Created"].map((name) => (
            <th key={name} scope="col" className="text-left font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="block">
        {items.map((item) => (
          <Row key={item.id} delivery={item} asOf={asOf} href={hrefOf(item.id)} onOpen={() => onOpen(item.id)} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ delivery, asOf, href, onOpen }: { delivery: Delivery; asOf: string; href: string; onOpen: () => void }) {
  const { status, type, event_id, attempt_count, next_attempt_at, created_at } = delivery;
  return (
    <tr
      className={`relative flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-2 py-2.5 text-sm transition-colors duration-100 hover:bg-hover has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-focus @4xl:min-h-12 @4xl:py-1.5 ${COLUMNS}`}
    >
      <td>
        <DeliveryBadge status={status} />
      </td>
      <td className="min-w-0 @max-4xl:order-first @max-4xl:basis-full">
        <a
          href={href}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            onOpen();
          }}
          className="block truncate font-medium outline-none after:absolute after:inset-0"
        >
          {type}
        </a>
        <code className="block truncate font-mono text-xs text-muted">{event_id}</code>
      </td>
      <td className="min-w-0">
        <LastAnswer delivery={delivery} />
      </td>
      <td className="tabular-nums @max-4xl:basis-full">
        {attempt_count} <span className="@4xl:sr-only">{attempt_count === 1 ? "attempt" : "attempts"}</span>
        {next_attempt_at && attempt_count > 0 && (
          <span className="text-muted @4xl:block">
            {" "}
            <span className="@4xl:sr-only">· next </span>
            <Countdown until={next_attempt_at} asOf={asOf} />
          </span>
        )}
      </td>
      <td className="text-muted tabular-nums @max-4xl:absolute @max-4xl:top-2.5 @max-4xl:right-2">
        <Ago iso={created_at} asOf={asOf} />
      </td>
    </tr>
  );
}

function LastAnswer({ delivery: { status: state, last_attempt } }: { delivery: Delivery }) {
  if (!last_attempt) return <span className="text-muted">{state === "failed" ? "Not sent" : "Not tried yet"}</span>;
  const { status, failure_kind, status_code, duration_ms } = last_attempt;
  if (status === "in_flight") return <span className="text-muted">Waiting for the answer…</span>;
  return (
    <span className="tabular-nums">
      {failure_kind && failure_kind !== "http_error" && <span className="text-danger-text">{FAILURES[failure_kind].word} </span>}
      {status === "interrupted" && "Interrupted "}
      {status_code !== null && <span className={failure_kind ? "text-danger-text" : undefined}>{status_code} </span>}
      <span className="text-muted">{shownDuration(duration_ms)}</span>
    </span>
  );
}
