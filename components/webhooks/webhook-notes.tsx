"use client";

import { Power } from "lucide-react";
import type { ReactNode } from "react";
import type { PageLink } from "#components/kit/use-search.ts";
import { personName } from "#components/people/person.tsx";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { Countdown } from "./countdown.tsx";
import { FAILURES } from "./labels.ts";
import type { WebhookAction } from "./webhook-actions.tsx";

type Props = {
  webhook: Webhook;
  asOf: string;
  onAction: (act: WebhookAction) => void;
  /** The newest failed delivery, with its status code and the link that opens it. */
  lastFailure: { statusCode: number | null; to: PageLink } | undefined;
};

/** Notes on why nothing is sent, what fails, and what to do about it. */
export function WebhookNotes({ webhook, asOf, onAction, lastFailure }: Props) {
  const { status, previous_secret_expires_at, failing_since, missed_since } = webhook;
  return (
    <div className="flex flex-col gap-2 empty:hidden">
      {status === "disabled" && <Disabled webhook={webhook} onAction={onAction} />}
      {status === "active" && failing_since && (
        <Failing webhook={webhook} asOf={asOf} onAction={onAction} lastFailure={lastFailure} />
      )}
      {status === "active" && !failing_since && missed_since && (
        <Note tone="info">
          <Row action={<Button onClick={() => onAction("recover")}>Recover</Button>}>
            Some deliveries since <Time iso={missed_since} /> failed. They're kept for 30 days and
            can be recovered.
          </Row>
        </Note>
      )}
      {previous_secret_expires_at && (
        <Note tone="info">
          Two secrets sign until <Time iso={previous_secret_expires_at} /> (
          <Countdown until={previous_secret_expires_at} asOf={asOf} />
          ). Update your receiver before then.
        </Note>
      )}
    </div>
  );
}

function Disabled({
  webhook: { disabled_at, disabled_by, disabled_reason, disabled_detail },
  onAction,
}: Pick<Props, "webhook" | "onAction">) {
  return (
    <Note tone="danger">
      <Row
        action={
          <Button variant="primary" onClick={() => onAction("enable")}>
            <Power aria-hidden className="size-4" />
            Enable
          </Button>
        }
      >
        <strong>
          Disabled {disabled_at && <Time iso={disabled_at} />}
          {disabled_reason === "manual" && disabled_by && <> by {personName(disabled_by)}</>}
          {disabled_reason === "failing" && <>: every attempt failed for 5 days</>}
          {disabled_reason === "gone" && <> at the receiver's request</>}.
        </strong>{" "}
        {disabled_detail && <span className="wrap-break-word">{disabled_detail} </span>}
        No events are sent. Missed deliveries are kept for 30 days.
      </Row>
    </Note>
  );
}

function Failing({
  webhook: { failing_since, disable_at, last_failure_kind, missed_since, next_attempt_at },
  asOf,
  onAction,
  lastFailure,
}: Props) {
  const statusCode = last_failure_kind === "http_error" ? lastFailure?.statusCode : null;
  const advice = last_failure_kind && FAILURES[last_failure_kind];
  return (
    <Note tone="danger">
      <Row action={missed_since && <Button onClick={() => onAction("recover")}>Recover</Button>}>
        <strong>
          Every delivery since {failing_since && <Time iso={failing_since} />} failed
          {advice && ` with ${statusCode ? `HTTP ${statusCode}` : advice.noun}`}.
        </strong>{" "}
        {lastFailure && last_failure_kind === "http_error" && (
          <>
            <a
              href={lastFailure.to.href}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                lastFailure.to.follow();
              }}
              className="underline underline-offset-2"
            >
              View the last response
            </a>
            .{" "}
          </>
        )}
        {advice?.advice}{" "}
        {next_attempt_at && (
          <>
            Next attempt <Countdown until={next_attempt_at} asOf={asOf} />.{" "}
          </>
        )}
        {disable_at &&
          (disable_at > asOf ? (
            <>
              If none succeeds, the webhook will be disabled on <Time iso={disable_at} />.
            </>
          ) : (
            "If it fails, the webhook will be disabled."
          ))}
      </Row>
    </Note>
  );
}

function Row({ action, children }: { action?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="min-w-60 flex-1">{children}</p>
      {action}
    </div>
  );
}
