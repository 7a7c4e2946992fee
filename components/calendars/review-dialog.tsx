"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { z } from "zod";
import { ApiProblem, callApiWithTag } from "#components/api-client.ts";
import { ChangeTable } from "#components/kit/change-table.tsx";
import { DeadlineImpact, openExceptions } from "#components/kit/deadline-impact.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { resourceKey, type Version } from "#components/kit/query.ts";
import { SaveDialog } from "#components/kit/save-dialog.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { toast } from "#components/ui/toast.ts";
import { type Calendar, putCalendarContract } from "#lib/calendars/contract.ts";
import type { bodyOf } from "./draft.ts";
import { formatWeek, formatWorkingTime, weekMinutes } from "./hours.ts";
import { calendarById, calendarsKey } from "./queries.ts";

export type Impact = z.output<typeof putCalendarContract.response>["impact"];
type Body = ReturnType<typeof bodyOf>;

type Props = {
  before: Version<Calendar>;
  after: Body;
  /** The impact if the change applies to open exceptions. */
  impact: Impact;
  onClose: () => void;
  onSaved: (version: Version<Calendar>) => void;
  onOvertaken: (error: Error) => void;
};

const APPLY_TO = [
  { value: "new", label: "New exceptions" },
  { value: "open", label: "Open ones, too" },
] as const;

/** Shows what a change does before it is saved, and asks to which exceptions it applies. */
export function ReviewDialog({ before, after, impact, onClose, onSaved, onOvertaken }: Props) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const [applyTo, setApplyTo] = useState<"new" | "open">("new");
  const save = useMutate({
    send: () =>
      callApiWithTag(putCalendarContract, {
        tenant,
        params: { id: before.data.id },
        body: { ...after, apply_to: applyTo },
        ifMatch: before.etag,
      }),
    onDone: ({ data: { impact: _, dry_run: __, ...data }, etag }) => {
      cache.setQueryData(calendarById(tenant, data.id).queryKey, { data, etag });
      cache.invalidateQueries({ queryKey: resourceKey(tenant, "exceptions") });
      onSaved({ data, etag });
      toast("Calendar saved", { description: data.name });
    },
    onRefused: (error) => error instanceof ApiProblem && error.status === 412 && onOvertaken(error),
    stale: calendarsKey(tenant),
  });
  const hasOtherHours = JSON.stringify(hoursOf(before.data)) !== JSON.stringify(hoursOf(after));
  return (
    <SaveDialog
      title={`Change ${before.data.name}`}
      save={save}
      label="Save calendar"
      onClose={onClose}
    >
      <ChangeTable rows={changesOf(before.data, after)} />
      {hasOtherHours && (
        <RadioGroup legend="Apply to" value={applyTo} options={APPLY_TO} onChange={setApplyTo}>
          {applyTo === "new" ? (
            <p className="text-sm text-muted">
              Open exceptions keep the hours they were set with.{" "}
              {impact.changed > 0 &&
                `Applied to open ones, ${openExceptions(impact.changed)} would get a new deadline.`}
            </p>
          ) : impact.changed === 0 ? (
            <Note tone="info">No open exception's deadline changes.</Note>
          ) : (
            <DeadlineImpact
              {...impact}
              note=". Deadlines set by hand don't change. Events already sent stand."
            />
          )}
        </RadioGroup>
      )}
      {impact.periods > 0 && (
        <p className="text-sm text-muted">
          {pluralize(impact.periods, "open reconciliation")} count
          {impact.periods === 1 ? "s" : ""} business days by this calendar and{" "}
          {impact.periods === 1 ? "is" : "are"} matched again by the new hours. Closed ones don't
          change.
        </p>
      )}
    </SaveDialog>
  );
}

function hoursOf({ time_zone, weekly, special_days }: Body | Calendar) {
  return [time_zone, weekly, special_days];
}

function changesOf(before: Calendar, after: Body): [name: string, before: string, after: string][] {
  const rows: [string, string, string][] = [
    ["Name", before.name, after.name],
    ["Time zone", before.time_zone, after.time_zone],
    ["Weekly hours", weekOf(before), weekOf(after)],
    ["Special days", ...daysOf(before, after)],
  ];
  return rows.filter(([, now, then]) => now !== then);
}

/** Prevents line breaks within days and times. */
function weekOf({ weekly }: { weekly: Calendar["weekly"] }): string {
  const words = `${formatWeek(weekly)} (${formatWorkingTime(weekMinutes(weekly))})`;
  return words.replaceAll("–", "\u2060–\u2060");
}

/** How many there were, and what was added, removed and changed. */
function daysOf(before: Calendar, after: Body): [string, string] {
  const known = new Map(before.special_days.map((day) => [day.date, JSON.stringify(day)]));
  const added = after.special_days.filter(({ date }) => !known.has(date)).length;
  const other = after.special_days.filter(
    (day) => known.has(day.date) && known.get(day.date) !== JSON.stringify(day),
  ).length;
  const removed = before.special_days.length - (after.special_days.length - added);
  const parts = [
    added > 0 && `${added} added`,
    removed > 0 && `${removed} removed`,
    other > 0 && `${other} changed`,
  ].filter(Boolean);
  const now = String(before.special_days.length);
  return [now, parts.length === 0 ? now : `${after.special_days.length} (${parts.join(", ")})`];
}
