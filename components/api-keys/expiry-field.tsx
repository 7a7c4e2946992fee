"use client";

import { RadioGroup } from "#components/ui/radio-group.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { Day } from "#components/ui/time.tsx";
import { type Draft, type Expiry, expiresAt, LIFETIMES_DAYS } from "./draft.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const LONGEST_DAYS = 365;

const CHOICES: { value: Expiry; label: string }[] = [
  ...LIFETIMES_DAYS.map((days) => ({ value: days, label: days === "90" ? "90 days (recommended)" : `${days} days` })),
  { value: "custom", label: "Custom" },
  { value: "never", label: "Never" },
];

/** `keeps`: the expiry so far, null for never; undefined for a new key. */
export function ExpiryField({
  draft,
  onChange,
  error,
  keeps,
}: {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  error: string | undefined;
  keeps?: string | null;
}) {
  const choices = keeps === undefined ? CHOICES : [{ value: "keep" as const, label: "Unchanged" }, ...CHOICES];
  const end = draft.expiry === "keep" ? keeps : expiresAt(draft, serverNow());
  return (
    <RadioGroup legend="Expires" value={draft.expiry} options={choices} onChange={(expiry) => onChange({ expiry })}>
      {draft.expiry === "custom" && (
        <TextField
          label="Last day (UTC)"
          type="date"
          min={dayIn(0)}
          max={dayIn(LONGEST_DAYS)}
          value={draft.day}
          onChange={(event) => onChange({ day: event.target.value })}
          error={error}
        />
      )}
      <p className="text-sm text-muted">
        {end ? (
          <>
            Works until <Day iso={end} />.
          </>
        ) : (
          draft.expiry !== "custom" && "Works until it is revoked. A key that ends by itself is safer."
        )}
      </p>
      {error && draft.expiry !== "custom" && <p className="text-sm text-danger-text">{error}</p>}
    </RadioGroup>
  );
}

function dayIn(days: number): string {
  return new Date(serverNow() + days * DAY_MS).toISOString().slice(0, 10);
}
