"use client";

import { DateField } from "#components/ui/date-field.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { Day } from "#components/ui/time.tsx";
import { type Expiry, endOf, LIFETIMES_DAYS } from "./draft.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_DAYS = 365;

const CHOICES: { value: Expiry["choice"]; label: string }[] = [
  ...LIFETIMES_DAYS.map((days) => ({
    value: days,
    label: days === "90" ? "90 days (recommended)" : `${days} days`,
  })),
  { value: "custom", label: "Custom" },
  { value: "never", label: "Never" },
];

/** `keeps` is the current expiry, null for never; undefined for a new key. */
export function ExpiryField({
  value,
  onChange,
  error,
  keeps,
}: {
  value: Expiry;
  onChange: (value: Expiry) => void;
  error: string | undefined;
  keeps?: string | null;
}) {
  const choices =
    keeps === undefined ? CHOICES : [{ value: "keep" as const, label: "Unchanged" }, ...CHOICES];
  const { choice, day } = value;
  const end = choice === "keep" ? keeps : endOf(value, serverNow());
  return (
    <RadioGroup
      legend="Expires"
      value={choice}
      options={choices}
      onChange={(chosen) => onChange({ choice: chosen, day })}
    >
      {choice === "custom" && (
        <DateField
          label="Last day (UTC)"
          min={dayIn(0)}
          max={dayIn(MAX_DAYS)}
          value={day}
          onChange={(next) => onChange({ choice, day: next })}
          error={error}
        />
      )}
      <p className="text-sm text-muted">
        {end ? (
          <>
            Works until <Day iso={end} />.
          </>
        ) : (
          choice !== "custom" && "Works until revoked. A key with an expiry date is safer."
        )}
      </p>
      {error && choice !== "custom" && <p className="text-sm text-danger-text">{error}</p>}
    </RadioGroup>
  );
}

function dayIn(days: number): string {
  return new Date(serverNow() + days * DAY_MS).toISOString().slice(0, 10);
}
