"use client";

import type { z } from "zod";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { zoneName } from "#components/preferences/time-zone.ts";
import { DateField } from "#components/ui/date-field.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { TextField } from "#components/ui/text-field.tsx";
import type { pauseBody } from "#lib/exceptions/pauses/contract.ts";
import { EXCEPTIONS } from "#lib/wire/facts.gen.ts";
import { PAUSE_END_LABELS, PAUSE_ENDS, type PauseEnd, pauseUntil } from "./pause-ends.ts";

export type Pause = z.input<typeof pauseBody>;

type Props = {
  count: number;
  send: (pause: Pause, idempotencyKey: string) => Promise<unknown>;
  onDone: (pause: Pause) => void;
  onClose: () => void;
};

type Draft = { reason: string; end: PauseEnd; until: string };

/** Asks for the reason and the end of a pause. */
export function PauseDialog({ count, send, onDone, onClose }: Props) {
  const { timeZone } = usePreferences();
  const pauseOf = ({ reason, end, until }: Draft): Pause => ({
    reason: reason.trim(),
    until: pauseUntil(end, until, serverNow(), timeZone),
  });
  const noun = count === 1 ? "exception" : pluralize(count, "exception");
  const form = useForm({
    initial: { reason: "", end: "tomorrow", until: "" } as Draft,
    check: ({ reason, end, until }) => ({
      ...(reason.trim() === "" && { reason: "Enter a reason." }),
      ...(end === "time" && until === "" && { until: "Enter a time." }),
    }),
    send: (draft, idempotencyKey) => send(pauseOf(draft), idempotencyKey),
    onDone: (_, draft) => onDone(pauseOf(draft)),
  });
  const picks = form.draft.end === "time";
  return (
    <FormDialog
      form={form}
      title={`Pause ${noun}`}
      description="The clock stops, and no warnings are sent until it resumes."
      start={`Pause ${noun}`}
      pending="Pausing…"
      onClose={onClose}
    >
      <TextField
        label="Reason"
        maxLength={EXCEPTIONS.pause_reason.max}
        {...form.text("reason")}
        required
      />
      <SelectField
        label="Resume"
        value={form.draft.end}
        // Problems with the end are shown here, unless a time is picked.
        error={picks ? undefined : form.problem("until")}
        hint={`Times are in ${zoneName(timeZone)}. The SLA policy may end it earlier.`}
        onChange={({ target }) => form.change({ end: target.value as PauseEnd, until: "" })}
      >
        {PAUSE_ENDS.map((end) => (
          <option key={end} value={end}>
            {PAUSE_END_LABELS[end]}
          </option>
        ))}
      </SelectField>
      {picks && (
        <DateField
          label="Resume at"
          time="09:00"
          value={form.draft.until}
          error={form.problem("until")}
          onChange={(until) => form.change({ until })}
          required
        />
      )}
    </FormDialog>
  );
}
