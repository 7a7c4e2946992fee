"use client";

import { useState } from "react";
import { CalendarField } from "#components/kit/calendar-field.tsx";
import type { Problems } from "#components/kit/problems.ts";
import { Button } from "#components/ui/button.tsx";
import { SEVERITIES } from "#lib/exceptions/contract.ts";
import { SEVERITY_LABELS } from "../labels.tsx";
import type { Draft } from "./draft.ts";

type Calendars = Draft["calendar_by_severity"];
type Props = { calendars: Calendars; problems: Problems; onChange: (calendars: Calendars) => void };

/** Other calendars for some severities, for example round the clock for critical ones. */
export function SeverityCalendars({ calendars, problems, onChange }: Props) {
  const differs = SEVERITIES.some((severity) => calendars[severity] !== undefined);
  const [opened, setOpened] = useState(differs);
  if (!opened && !differs) {
    return (
      <Button size="sm" className="w-fit" onClick={() => setOpened(true)}>
        Choose per severity
      </Button>
    );
  }
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {SEVERITIES.map((severity) => (
        <CalendarField
          key={severity}
          label={SEVERITY_LABELS[severity]}
          value={calendars[severity]}
          same="Same as above"
          error={problems[`calendar_by_severity.${severity}`]}
          onChange={(calendar) => onChange({ ...calendars, [severity]: calendar })}
        />
      ))}
    </div>
  );
}
