"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { ApiProblem, callApi } from "#components/api-client.ts";
import { Card } from "#components/kit/card.tsx";
import { ConflictNote } from "#components/kit/conflict-note.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import type { Version } from "#components/kit/query.ts";
import { TimeZoneField } from "#components/kit/time-zone-field.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { personName } from "#components/people/person.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Button } from "#components/ui/button.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import {
  type Calendar,
  createCalendarContract,
  putCalendarContract,
} from "#lib/calendars/contract.ts";
import { CALENDARS } from "#lib/wire/facts.gen.ts";
import { bodyOf, type Draft, draftOf, faultsIn, newDraft } from "./draft.ts";
import { calendarById, calendarsKey } from "./queries.ts";
import { type Impact, ReviewDialog } from "./review-dialog.tsx";
import {
  SpecialDaysCard,
  SpecialDaysDialog,
  type SpecialDaysDialogState,
} from "./special-days-card.tsx";
import { WeekEditor } from "./week-editor.tsx";
import { YearPreview } from "./year-preview.tsx";

/** The form of a new calendar. */
export function CreateCalendar({ today }: { today: string }) {
  const tenant = useTenantId();
  const router = useRouter();
  const cache = useQueryClient();
  const { timeZone } = usePreferences();
  const [before] = useState(() => newDraft(timeZone));
  const [isDone, setDone] = useState(false);
  const form = useForm({
    initial: before,
    check: faultsIn,
    send: (draft, idempotencyKey) =>
      callApi(createCalendarContract, { tenant, body: bodyOf(draft), idempotencyKey }),
    onDone: ({ id, name }) => {
      setDone(true);
      cache.invalidateQueries({ queryKey: calendarsKey(tenant) });
      toast(`Created ${name}`);
      router.push(`/${tenant}/calendars/${id}`);
    },
  });
  useUnsavedWarning(!isDone && form.draft !== before);
  return (
    <CalendarFrame form={form} today={today} saved={undefined}>
      <Button type="submit" variant="primary" disabled={form.isPending || isDone}>
        {form.isPending ? "Creating…" : "Create calendar"}
      </Button>
    </CalendarFrame>
  );
}

/** Edits a calendar. `stored` is refetched, so it can differ from the one the draft began with. */
export function EditCalendar({ stored, today }: { stored: Version<Calendar>; today: string }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const [base, setBase] = useState(stored);
  const [impact, setImpact] = useState<Impact | null>(null);
  const query = calendarById(tenant, stored.data.id);
  const params = { id: stored.data.id };
  const form = useForm({
    initial: () => draftOf(stored.data),
    check: faultsIn,
    send: (draft) =>
      callApi(putCalendarContract, {
        tenant,
        params,
        body: { ...bodyOf(draft), apply_to: "open", dry_run: true },
        ifMatch: base.etag,
      }).catch(lookAgain),
    onDone: (preview) => setImpact(preview.impact),
  });
  const changed = JSON.stringify(bodyOf(form.draft)) !== JSON.stringify(bodyOf(draftOf(base.data)));
  useUnsavedWarning(changed);

  if (stored.etag !== base.etag && !changed) {
    setBase(stored);
    form.rebase(() => draftOf(stored.data));
  }
  const overtaken = stored.etag !== base.etag || isOvertaken(form.error);
  const newest = () => cache.fetchQuery({ ...query, staleTime: 0 });

  /** Someone else saved first: fetch their version. */
  async function lookAgain(error: Error): Promise<never> {
    if (isOvertaken(error)) await cache.invalidateQueries({ queryKey: query.queryKey });
    throw error;
  }

  function startOver(version: Version<Calendar>) {
    setImpact(null);
    setBase(version);
    form.restart(draftOf(version.data));
  }

  return (
    <CalendarFrame form={form} today={today} saved={base.data} hideProblem={overtaken}>
      {overtaken && (
        <div className="w-full">
          <ConflictNote
            onOverwrite={() =>
              newest().then((theirs) => {
                setBase(theirs);
                form.reset();
              })
            }
            onDiscard={() => newest().then(startOver)}
          >
            The calendar changed while you were editing, last by{" "}
            {personName(stored.data.updated_by)} (
            <Time iso={stored.data.updated_at} />
            ). Your changes aren't saved yet.
          </ConflictNote>
        </div>
      )}
      <Button type="submit" variant="primary" disabled={!changed || overtaken || form.isPending}>
        {form.isPending ? "Calculating…" : "Review changes"}
      </Button>
      <Button disabled={!changed || form.isPending} onClick={() => startOver(stored)}>
        Discard
      </Button>
      <p role="status" className="text-sm text-muted">
        {changed ? "Unsaved changes" : ""}
      </p>
      {impact && (
        <ReviewDialog
          before={base}
          after={bodyOf(form.draft)}
          impact={impact}
          onClose={() => setImpact(null)}
          onSaved={startOver}
          onOvertaken={(error) => lookAgain(error).catch(() => setImpact(null))}
        />
      )}
    </CalendarFrame>
  );
}

type Form = ReturnType<typeof useForm<Draft, unknown>>;

/** The fields, and below them the buttons. */
function CalendarFrame({
  form,
  today,
  saved,
  hideProblem = false,
  children,
}: {
  form: Form;
  today: string;
  saved: Calendar | undefined;
  hideProblem?: boolean;
  children: ReactNode;
}) {
  const { draft, problems, problem, change, text } = form;
  const failure = form.uncertain ?? form.unplaced;
  const [dialog, setDialog] = useState<SpecialDaysDialogState | null>(null);
  const changeDays = (special_days: Draft["special_days"]) => change({ special_days });
  return (
    <>
      <form
        ref={form.ref}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          form.submit();
        }}
        className="flex flex-col gap-4"
      >
        {/* What is under review is what was sent. */}
        <fieldset
          disabled={form.isPending}
          className="grid min-w-0 gap-4 @5xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] @5xl:items-start"
        >
          <div className="flex min-w-0 flex-col gap-4">
            <Card title="Name and time zone">
              <TextField
                label="Name"
                placeholder="Frankfurt office"
                maxLength={CALENDARS.name.max}
                {...text("name")}
                required
              />
              <TimeZoneField
                value={draft.time_zone}
                error={problem("time_zone")}
                onChange={(time_zone) => change({ time_zone })}
              />
            </Card>
            <div className="@container min-w-0">
              <Card
                title="Weekly hours"
                hint="Local time. Hours that end before they start run past midnight."
              >
                <WeekEditor
                  weekly={draft.weekly}
                  problems={problems}
                  onChange={(weekly) => change({ weekly })}
                />
              </Card>
            </div>
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <SpecialDaysCard
              days={draft.special_days}
              today={today}
              saved={saved}
              error={problem("special_days")}
              onOpen={setDialog}
              onChange={changeDays}
            />
            <Card title="Next twelve months">
              <YearPreview hours={bodyOf(draft)} today={today} />
            </Card>
          </div>
        </fieldset>
        <div className="pinned sticky bottom-0 z-10 -mx-4 flex flex-col gap-3 border-t border-line bg-surface px-4 py-3 sm:-mx-6 sm:px-6">
          <div role="alert" className="empty:hidden">
            {failure && !hideProblem && <ProblemNote error={failure} />}
          </div>
          <div className="flex flex-wrap items-center gap-2">{children}</div>
        </div>
      </form>
      {dialog && (
        <SpecialDaysDialog
          dialog={dialog}
          days={draft.special_days}
          today={today}
          onChange={changeDays}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  );
}

function isOvertaken(error: Error | null): boolean {
  return error instanceof ApiProblem && error.status === 412;
}
