"use client";

import type { Problems } from "#components/kit/problems.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import type { PauseDraft } from "./draft.ts";
import { SpanField } from "./span-field.tsx";

type Props = { pause: PauseDraft; problems: Problems; onChange: (pause: PauseDraft) => void };

/** How long and how often a clock may be paused, and what pauses it. */
export function PauseFields({ pause, problems, onChange }: Props) {
  return (
    <>
      <SpanField
        label="Longest pause"
        labelAbove
        span={pause.longest}
        error={problems["pause.max_minutes"]}
        onChange={(longest) => onChange({ ...pause, longest })}
      >
        <span className="text-sm text-muted">Empty: no limit.</span>
      </SpanField>
      <TextField
        label="Pauses per exception"
        inputMode="numeric"
        maxLength={4}
        className="max-w-32"
        hint="Empty: no limit."
        value={pause.max_count}
        error={problems["pause.max_count"]}
        onChange={({ target }) => onChange({ ...pause, max_count: target.value.trim() })}
      />
      <TextField
        label="Pause while the reason code is"
        placeholder="waiting_for_bank"
        hint="Separate codes with commas."
        value={pause.codes}
        error={problems["pause.rules"]}
        onChange={({ target }) => onChange({ ...pause, codes: target.value })}
      />
      <CheckField
        label="Pause while in review"
        checked={pause.in_review}
        onChange={({ target }) => onChange({ ...pause, in_review: target.checked })}
      />
    </>
  );
}
