"use client";

import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useAttempt } from "#components/kit/use-attempt.ts";
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
type Read = { file: string; special_days: SpecialDay[]; skipped: number };

/** Reads special days from an ICS file, and says what of it was skipped. */
export function IcsDialog({ known, onAdd, onClose }: Props) {
  const tenant = useTenantId();
  const [read, setRead] = useState<Read | null>(null);
  const [dropped, setDropped] = useState(NONE);
  const reading = useAttempt({
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
          {read.skipped > 0 &&
            `, ${counted(read.skipped, "event")} skipped. Skipped are events with a time of day, longer than 31 days, or that recur other than yearly`}
          .
        </Note>
      )}
    </AddDaysDialog>
  );
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun}s`}`;
}
