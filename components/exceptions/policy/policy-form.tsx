"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { ApiProblem, callApi } from "#components/api-client.ts";
import { CalendarField } from "#components/kit/calendar-field.tsx";
import { ConflictNote } from "#components/kit/conflict-note.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { personName } from "#components/people/person.tsx";
import { Button } from "#components/ui/button.tsx";
import { Time } from "#components/ui/time.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import { putSlaPolicyContract, THRESHOLD_KINDS } from "#lib/exceptions/sla/contract.ts";
import { SeverityLabel } from "../labels.tsx";
import {
  BEFORE_LABELS,
  type Draft,
  draftOf,
  faultsIn,
  fieldOf,
  newThreshold,
  type PolicyVersion,
  policyOf,
  THRESHOLDS_MAX,
  type ThresholdKind,
  unitsOf,
} from "./draft.ts";
import { PauseFields } from "./pause-fields.tsx";
import { PolicyCard } from "./policy-card.tsx";
import { slaPolicy } from "./queries.ts";
import { type Impact, ReviewDialog } from "./review-dialog.tsx";
import { SeverityCalendars } from "./severity-calendars.tsx";
import { minutesOf, spanOf } from "./span.ts";
import { SpanField } from "./span-field.tsx";

const FIRST_THRESHOLD_MINUTES = 30;

/**
 * Edits the policy. `stored` is refetched, so it can be newer than the version the draft began
 * with.
 */
export function PolicyForm({ stored }: { stored: PolicyVersion }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const [base, setBase] = useState(stored);
  const [impact, setImpact] = useState<Impact | null>(null);
  const form = useForm({
    initial: () => draftOf(stored.data),
    check: faultsIn,
    fieldOf,
    send: (draft) =>
      callApi(putSlaPolicyContract, {
        tenant,
        body: { ...policyOf(draft), dry_run: true },
        ifMatch: base.etag,
      }).catch(refetchIfOvertaken),
    onDone: (preview) => setImpact(preview.impact),
  });
  const { draft, problems, change } = form;
  const { minutes_to_resolve: minutes, thresholds } = draft;
  const changed =
    Object.keys(faultsIn(draft)).length > 0 ||
    JSON.stringify(policyOf(draft)) !== JSON.stringify(policyOf(draftOf(base.data)));
  useUnsavedWarning(changed);

  if (stored.etag !== base.etag && !changed) {
    setBase(stored);
    form.rebase(() => draftOf(stored.data));
  }
  const overtaken = stored.etag !== base.etag || isOvertaken(form.error);
  const newest = () => cache.fetchQuery({ ...slaPolicy(tenant), staleTime: 0 });

  /** Someone else saved first, so their version is fetched. */
  async function refetchIfOvertaken(error: Error): Promise<never> {
    if (isOvertaken(error)) await cache.invalidateQueries({ queryKey: slaPolicy(tenant).queryKey });
    throw error;
  }

  function startOver(version: PolicyVersion) {
    setImpact(null);
    setBase(version);
    form.restart(draftOf(version.data));
  }

  return (
    <form
      ref={form.ref}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
      className="flex max-w-3xl flex-col gap-4"
    >
      {overtaken && (
        <ConflictNote
          onOverwrite={() =>
            newest().then((theirs) => {
              setBase(theirs);
              form.reset();
            })
          }
          onDiscard={() => newest().then(startOver)}
        >
          The policy changed while you were editing, last by {personName(stored.data.updated_by)} (
          <Time iso={stored.data.updated_at} />
          ). Your changes aren't saved yet.
        </ConflictNote>
      )}
      {/* Disabled while pending, so that the reviewed draft is the one that was sent. */}
      <fieldset disabled={form.isPending} className="contents">
        <PolicyCard
          title="Time to resolve"
          hint="Used when an exception arrives without a due date."
        >
          {SEVERITIES.map((severity) => (
            <SpanField
              key={severity}
              label={<SeverityLabel severity={severity} />}
              span={minutes[severity]}
              error={problems[`minutes_to_resolve.${severity}`]}
              onChange={(span) => change({ minutes_to_resolve: { ...minutes, [severity]: span } })}
            />
          ))}
        </PolicyCard>

        <PolicyCard
          title="At-risk warnings"
          hint="When to send exception.sla.at_risk to your webhooks, before a deadline."
        >
          {thresholds.map(({ key, kind, ...span }, place) => (
            <SpanField
              key={key}
              label={`Warning ${place + 1}`}
              labelHidden
              span={span}
              units={unitsOf(kind)}
              error={problems[`thresholds.${place}`]}
              onChange={(next) =>
                change({
                  thresholds: thresholds.map((threshold) =>
                    threshold.key === key ? { key, kind, ...next } : threshold,
                  ),
                })
              }
            >
              <select
                aria-label={`How warning ${place + 1} counts`}
                value={kind}
                onChange={({ target }) =>
                  change({
                    thresholds: thresholds.map((threshold) =>
                      threshold.key === key
                        ? asKind(threshold, target.value as ThresholdKind)
                        : threshold,
                    ),
                  })
                }
                className="h-9 max-w-full min-w-0 rounded-md border border-field bg-surface px-2 text-sm text-ink max-sm:h-11 max-sm:text-lg"
              >
                {THRESHOLD_KINDS.map((item) => (
                  <option key={item} value={item}>
                    {BEFORE_LABELS[item]}
                  </option>
                ))}
              </select>
              <Button
                variant="ghost"
                size="icon"
                aria-label={`Remove warning ${place + 1}`}
                disabled={thresholds.length === 1}
                onClick={() =>
                  change({ thresholds: thresholds.filter((threshold) => threshold.key !== key) })
                }
              >
                <Trash2 aria-hidden className="size-4" />
              </Button>
            </SpanField>
          ))}
          <Button
            size="sm"
            className="w-fit"
            disabled={thresholds.length === 2 * THRESHOLDS_MAX}
            onClick={() =>
              change({ thresholds: [...thresholds, newThreshold(FIRST_THRESHOLD_MINUTES)] })
            }
          >
            <Plus aria-hidden className="size-4" />
            Add a warning
          </Button>
        </PolicyCard>

        <PolicyCard title="Calendar" hint="The time to resolve counts its open hours only.">
          <CalendarField
            label="Calendar"
            labelHidden
            value={draft.calendar_id}
            error={problems.calendar_id}
            onChange={(calendar_id = "") => change({ calendar_id })}
          />
          <SeverityCalendars
            calendars={draft.calendar_by_severity}
            problems={problems}
            onChange={(calendar_by_severity) => change({ calendar_by_severity })}
          />
        </PolicyCard>

        <PolicyCard
          title="Pauses"
          hint="A paused exception's clock stops. These limits and rules apply to new pauses."
        >
          <PauseFields
            pause={draft.pause}
            problems={problems}
            onChange={(pause) => change({ pause })}
          />
        </PolicyCard>
      </fieldset>

      {form.error && !overtaken && <ProblemNote error={form.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" disabled={!changed || overtaken || form.isPending}>
          {form.isPending ? "Calculating…" : "Review changes"}
        </Button>
        <Button disabled={!changed || form.isPending} onClick={() => startOver(stored)}>
          Discard
        </Button>
        <p role="status" className="text-sm text-muted">
          {changed ? "Unsaved changes" : ""}
        </p>
      </div>
      {impact && (
        <ReviewDialog
          before={base}
          after={policyOf(draft)}
          impact={impact}
          onClose={() => setImpact(null)}
          onSaved={startOver}
          onOvertaken={(error) => refetchIfOvertaken(error).catch(() => setImpact(null))}
        />
      )}
    </form>
  );
}

/** Days of wall-clock time become hours of business time. */
function asKind(
  threshold: Draft["thresholds"][number],
  kind: ThresholdKind,
): Draft["thresholds"][number] {
  const minutes = minutesOf(threshold);
  if (unitsOf(kind).includes(threshold.unit)) return { ...threshold, kind };
  return {
    ...threshold,
    kind,
    ...(minutes === null ? { unit: "hours" } : spanOf(minutes, unitsOf(kind))),
  };
}

function isOvertaken(error: Error | null): boolean {
  return error instanceof ApiProblem && error.status === 412;
}
