"use client";

import { Disclosure } from "#components/ui/disclosure.tsx";
import { Timestamp } from "#components/ui/timestamp.tsx";
import type { DeliveryDetail } from "#lib/webhooks/deliveries/contract.ts";
import { ATTEMPT_STATES, CAUSES, FAILURES, formatDuration } from "./labels.ts";
import { RequestHeaders, ResponseView } from "./response-view.tsx";

type Attempt = DeliveryDetail["attempts"][number];

/** The attempts and their results, newest first. */
export function AttemptTimeline({ eventId, attempts }: { eventId: string; attempts: Attempt[] }) {
  return (
    <section aria-labelledby="attempts" className="flex flex-col gap-3">
      <h3 id="attempts" className="font-semibold">
        Attempts
      </h3>
      {attempts.length === 0 && <p className="text-sm text-muted">No attempts yet.</p>}
      <ol className="flex flex-col">
        {attempts.toReversed().map((attempt, place) => (
          <Entry key={attempt.number} eventId={eventId} attempt={attempt} isLatest={place === 0} />
        ))}
      </ol>
    </section>
  );
}

/** An attempt. The response to the latest one is open if it failed. */
function Entry({
  eventId,
  attempt,
  isLatest,
}: {
  eventId: string;
  attempt: Attempt;
  isLatest: boolean;
}) {
  const {
    number,
    cause,
    status,
    failure_kind,
    detail,
    started_at,
    duration_ms,
    status_code,
    response,
  } = attempt;
  const { label, icon: Icon, tone } = ATTEMPT_STATES[status];
  return (
    <li
      data-tone={tone}
      className="relative pl-8 not-last:pb-5 not-last:before:absolute not-last:before:top-6 not-last:before:bottom-0 not-last:before:left-2.5 not-last:before:border-l not-last:before:border-line"
    >
      <Icon aria-hidden className="absolute top-0.5 left-0 size-5 text-tone-ink" />
      <p className="flex flex-wrap items-baseline gap-x-2 text-base">
        <strong className="text-tone-ink">
          {failure_kind ? FAILURES[failure_kind].label : label}
        </strong>
        {status_code !== null && <span className="font-mono text-xs">{status_code}</span>}
        {duration_ms !== null && (
          <span className="text-sm text-muted tabular-nums">{formatDuration(duration_ms)}</span>
        )}
      </p>
      <p className="text-sm text-muted">
        {number}. {CAUSES[cause]}, <Timestamp iso={started_at} />
      </p>
      {(failure_kind || status === "interrupted") && (
        <p className="pt-1 text-sm">
          {detail}{" "}
          {failure_kind && <span className="text-muted">{FAILURES[failure_kind].advice}</span>}
        </p>
      )}
      <div className="flex flex-col pt-2">
        {response && (
          <Disclosure title="Response" open={isLatest && status === "failed"}>
            <ResponseView response={response} />
          </Disclosure>
        )}
        <Disclosure title="Request headers">
          <RequestHeaders eventId={eventId} startedAt={started_at} />
        </Disclosure>
      </div>
    </li>
  );
}
