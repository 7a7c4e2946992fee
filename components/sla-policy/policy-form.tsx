"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { ApiProblem, callApi } from "#components/api-client.ts";
import { SeverityLabel } from "#components/exceptions/words.tsx";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import { putSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";
import type { FieldError } from "#lib/wire/errors.ts";
import { type Draft, draftOf, newThreshold, policyOf, problemsOf, THRESHOLDS_MAX, type Version } from "./draft.ts";
import { PolicyCard } from "./policy-card.tsx";
import { PolicyChanged } from "./policy-changed.tsx";
import { slaPolicyQuery } from "./queries.ts";
import { ReviewDialog } from "./review-dialog.tsx";
import { SpanField } from "./span-field.tsx";

const FIRST_THRESHOLD_MINUTES = 30;

/** The policy to edit. `stored`: as it is now, which somebody else may change meanwhile. */
export function PolicyForm({ tenantId, stored }: { tenantId: string; stored: Version }) {
  const cache = useQueryClient();
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState(() => draftOf(stored.data));
  const [problems, setProblems] = useState<FieldError[]>([]);
  const changed = problemsOf(draft).length > 0 || String(values(policyOf(draft))) !== String(values(base.data));
  useUnsavedWarning(changed);

  const startAt = (version: Version) => {
    setBase(version);
    setDraft(draftOf(version.data));
    setProblems([]);
  };
  const review = useMutation({
    mutationFn: (sent: ReturnType<typeof policyOf>) =>
      callApi(putSlaPolicyContract, { tenant: tenantId, body: { ...sent, dry_run: true }, ifMatch: base.etag }),
    onError: (error) => {
      if (!(error instanceof ApiProblem)) return;
      setProblems(error.errors);
      if (error.status === 412) cache.invalidateQueries({ queryKey: slaPolicyQuery(tenantId).queryKey });
    },
  });
  const startOver = (version: Version) => {
    review.reset();
    startAt(version);
  };
  if (stored.etag !== base.etag && !changed) startAt(stored);
  const overtaken = stored.etag !== base.etag || (review.error instanceof ApiProblem && review.error.status === 412);

  function submitted(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const found = problemsOf(draft);
    setProblems(found);
    if (found.length === 0) review.mutate(policyOf(draft));
    else requestAnimationFrame(() => document.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  }

  function change(next: Draft) {
    setDraft(next);
    setProblems([]);
  }

  const errorAt = (path: string) => problems.find((problem) => problem.path === path)?.message;

  return (
    <form onSubmit={submitted} noValidate className="flex max-w-3xl flex-col gap-4">
      {overtaken && (
        <PolicyChanged
          stored={stored}
          onTakeTheirs={startOver}
          onKeepMine={(theirs) => {
            setBase(theirs);
            review.reset();
          }}
          tenantId={tenantId}
        />
      )}
      <PolicyCard title="Time to resolve" hint="From the creation of an exception to its deadline, where whoever reports it gives none.">
        {SEVERITIES.map((severity) => (
          <SpanField
            key={severity}
            label={<SeverityLabel severity={severity} />}
            span={draft.minutes[severity]}
            error={errorAt(`minutes_to_resolve.${severity}`)}
            onChange={(span) => change({ ...draft, minutes: { ...draft.minutes, [severity]: span } })}
          />
        ))}
      </PolicyCard>

      <PolicyCard title="At-risk warnings" hint="How long before a deadline exception.sla.at_risk is sent to your webhooks.">
        {draft.thresholds.map(({ key, ...span }, place) => (
          <SpanField
            key={key}
            label={`Warning ${place + 1}`}
            labelHidden
            span={span}
            error={errorAt(`at_risk_thresholds.${place}`)}
            onChange={(next) => change({ ...draft, thresholds: draft.thresholds.map((one) => (one.key === key ? { key, ...next } : one)) })}
          >
            <span className="text-sm text-muted">before</span>
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Remove warning ${place + 1}`}
              disabled={draft.thresholds.length === 1}
              onClick={() => change({ ...draft, thresholds: draft.thresholds.filter((one) => one.key !== key) })}
            >
              <Trash2 aria-hidden className="size-4" />
            </Button>
          </SpanField>
        ))}
        <Button
          size="sm"
          className="w-fit"
          disabled={draft.thresholds.length === THRESHOLDS_MAX}
          onClick={() => change({ ...draft, thresholds: [...draft.thresholds, newThreshold(FIRST_THRESHOLD_MINUTES)] })}
        >
          <Plus aria-hidden className="size-4" />
          Add a warning
        </Button>
      </PolicyCard>

      {review.error && !overtaken && (
        <Note tone="danger">
          {review.error.message}
          {review.error instanceof ApiProblem && review.error.requestId && (
            <span className="block font-mono text-xs break-all">Request {review.error.requestId}</span>
          )}
        </Note>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" disabled={!changed || overtaken || review.isPending}>
          {review.isPending ? "Reckoning…" : "Review the change"}
        </Button>
        <Button disabled={!changed} onClick={() => startOver(stored)}>
          Discard
        </Button>
        <p role="status" className="text-sm text-muted">
          {changed ? "Not saved yet." : ""}
        </p>
      </div>
      {review.data && (
        <ReviewDialog
          tenantId={tenantId}
          before={base}
          after={policyOf(draft)}
          impact={review.data.impact}
          onClose={review.reset}
          onSaved={startOver}
          onOvertaken={review.reset}
        />
      )}
    </form>
  );
}

function values({ minutes_to_resolve: minutes, at_risk_thresholds }: ReturnType<typeof policyOf>): number[] {
  return [...SEVERITIES.map((severity) => minutes[severity]), ...at_risk_thresholds];
}
