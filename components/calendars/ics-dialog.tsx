"use client";

import { useState } from "react";
import type { z } from "zod";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { FileDrop } from "#components/ui/file-drop.tsx";
import { Note } from "#components/ui/note.tsx";
import { readIcsContract, type SpecialDay } from "#lib/calendars/contract.ts";
import { AddDaysDialog } from "./add-days-dialog.tsx";

const NONE: ReadonlySet<string> = new Set();

type Props = {
  known: readonly SpecialDay[];
  onAdd: (days: SpecialDay[]) => void;
  onClose: () => void;
};
type Read = { file: string } & z.output<typeof readIcsContract.response>;
type Reason = Read["skipped_events"][number]["reason"];

const REASONS: Record<Reason, string> = {
  cancelled: "cancelled",
  observance: "observed, not a holiday",
  not_all_day: "has a time of day",
  too_long: "longer than 31 days",
  recurrence: "recurs in a way that can't be read",
  limit: "more than a calendar can have",
};
const SHOWN_SKIPPED = 10;

/** Reads special days from an ICS file, and reports what was skipped. */
export function IcsDialog({ known, onAdd, onClose }: Props) {
  const tenant = useTenantId();
  const [read, setRead] = useState<Read | null>(null);
  const [dropped, setDropped] = useState(NONE);
  const reading = useMutate({
    send: async (file: File, idempotencyKey) => ({
      file: file.name,
      ...(await callApi(readIcsContract, {
        tenant,
        body: { ics: await file.text() },
        idempotencyKey,
      })),
    }),
    onDone: (answer) => {
      setRead(answer);
      setDropped(NONE);
    },
  });
  return (
    <AddDaysDialog
      title="Import an ICS file"
      description="All-day events become closed days. Nothing changes until you save the calendar."
      days={read?.special_days}
      known={known}
      dropped={dropped}
      onDrop={setDropped}
      onAdd={onAdd}
      onClose={onClose}
    >
      <FileDrop
        accept=".ics,text/calendar"
        hint="or drop it here. iCalendar (.ics), up to 500 kB."
        onFile={(file) => reading.start(file)}
      />
      <p role="status" className="text-sm text-muted empty:hidden">
        {reading.isPending ? "Reading…" : ""}
      </p>
      {reading.error && <ProblemNote error={reading.error} />}
      {read && !reading.isPending && !reading.error && (
        <Note tone={read.skipped > 0 ? "warning" : "info"}>
          <strong className="wrap-anywhere">{read.file}</strong>:{" "}
          {counted(read.special_days.length, "day")} read
          {read.skipped > 0 && `, ${counted(read.skipped, "event")} skipped: ${skippedOf(read)}`}.
        </Note>
      )}
    </AddDaysDialog>
  );
}

function skippedOf({ skipped, skipped_events }: Read): string {
  const visible = skipped_events
    .slice(0, SHOWN_SKIPPED)
    .map(({ name, line, reason }) => `${name ?? `line ${line}`} (${REASONS[reason]})`);
  const others = skipped - visible.length;
  return others > 0 ? `${visible.join(", ")} and ${others} more` : visible.join(", ");
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun}s`}`;
}
