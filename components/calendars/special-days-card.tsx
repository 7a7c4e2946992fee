"use client";

import { CalendarPlus, Download, FileUp, PartyPopper } from "lucide-react";
import { callApi } from "#components/api-client.ts";
import { Card } from "#components/kit/card.tsx";
import { useExport } from "#components/kit/export.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Button } from "#components/ui/button.tsx";
import { type Calendar, getCalendarIcsContract, type SpecialDay } from "#lib/calendars/contract.ts";
import { withDays } from "./draft.ts";
import { HolidaysDialog } from "./holidays-dialog.tsx";
import { IcsDialog } from "./ics-dialog.tsx";
import { SpecialDayDialog } from "./special-day-dialog.tsx";
import { SpecialDayList } from "./special-day-list.tsx";

/** What a dialog asks for. */
export type SpecialDaysDialogState =
  | { dialog: "day" | "holidays" | "ics" }
  | { dialog: "edit"; day: SpecialDay };

type Props = {
  days: SpecialDay[];
  today: string;
  /** The saved calendar, to export. */
  saved: Calendar | undefined;
  error: string | undefined;
  onOpen: (dialog: SpecialDaysDialogState) => void;
  onChange: (days: SpecialDay[]) => void;
};

/** Days with special hours: by hand, from a country's holidays or from a file. */
export function SpecialDaysCard({ days, today, saved, error, onOpen, onChange }: Props) {
  return (
    <Card
      title="Special days"
      hint="Holidays and days with other hours. They replace the hours of their weekday."
    >
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => onOpen({ dialog: "holidays" })}>
          <PartyPopper aria-hidden className="size-4 text-muted" />
          Add holidays
        </Button>
        <Button size="sm" onClick={() => onOpen({ dialog: "day" })}>
          <CalendarPlus aria-hidden className="size-4 text-muted" />
          Add a day
        </Button>
        <Button size="sm" onClick={() => onOpen({ dialog: "ics" })}>
          <FileUp aria-hidden className="size-4 text-muted" />
          Import ICS
        </Button>
        {saved && saved.special_days.length > 0 && <ExportButton calendar={saved} />}
      </div>
      <SpecialDayList
        days={days}
        today={today}
        onEdit={(day) => onOpen({ dialog: "edit", day })}
        onRemove={({ date }) => onChange(days.filter((day) => day.date !== date))}
      />
      {error && <p className="text-sm text-danger-text">{error}</p>}
    </Card>
  );
}

type DialogProps = Pick<Props, "days" | "today" | "onChange"> & {
  dialog: SpecialDaysDialogState;
  onClose: () => void;
};

/** The open dialog. It has its own form, so it is rendered outside of the calendar's. */
export function SpecialDaysDialog({ dialog, days, today, onChange, onClose }: DialogProps) {
  const add = (added: readonly SpecialDay[]) => onChange(withDays(days, added));
  switch (dialog.dialog) {
    case "holidays":
      return <HolidaysDialog known={days} today={today} onAdd={add} onClose={onClose} />;
    case "ics":
      return <IcsDialog known={days} onAdd={add} onClose={onClose} />;
    case "day":
      return <SpecialDayDialog known={days} onDone={(day) => add([day])} onClose={onClose} />;
    case "edit":
      return (
        <SpecialDayDialog
          initial={dialog.day}
          known={days}
          onDone={(day) =>
            onChange(
              withDays(
                days.filter(({ date }) => date !== dialog.day.date),
                [day],
              ),
            )
          }
          onClose={onClose}
        />
      );
  }
}

/** Saves the special days as they are stored. */
export function ExportButton({ calendar: { id, name } }: { calendar: Calendar }) {
  const tenant = useTenantId();
  const exporting = useExport({ failed: "Couldn't export the calendar" });
  const load = async () => {
    const { ics } = await callApi(getCalendarIcsContract, { tenant, params: { id } });
    return new Blob([ics], { type: "text/calendar" });
  };
  return (
    <Button
      size="sm"
      disabled={exporting.isPending}
      onClick={() => exporting.start({ name: `${fileNameOf(name)}.ics`, load })}
    >
      <Download aria-hidden className="size-4 text-muted" />
      Export ICS
    </Button>
  );
}

function fileNameOf(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "") || "calendar"
  );
}
