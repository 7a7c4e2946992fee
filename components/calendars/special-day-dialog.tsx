"use client";

import { Plus } from "lucide-react";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import type { Problems } from "#components/kit/problems.ts";
import { useForm } from "#components/kit/use-form.ts";
import { Button } from "#components/ui/button.tsx";
import { DateField } from "#components/ui/date-field.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { INTERVALS_A_DAY, SPECIAL_DAY_NAME_MAX, type SpecialDay } from "#lib/calendars/contract.ts";
import { nextSlot, type Slot, slotFaults, slotOf, timesOf } from "./draft.ts";
import { IntervalFields } from "./interval-fields.tsx";

const KINDS = [
  { value: "closed", label: "Closed" },
  { value: "open", label: "Other hours" },
] as const;

type Draft = { date: string; name: string; kind: "closed" | "open"; intervals: Slot[] };
type Props = {
  initial?: SpecialDay;
  known: readonly SpecialDay[];
  onDone: (day: SpecialDay) => void;
  onClose: () => void;
};

/** One special day. `initial`: the one to edit. */
export function SpecialDayDialog({ initial, known, onDone, onClose }: Props) {
  const form = useForm({
    initial: () => draftOf(initial),
    check: (draft) => faultsIn(draft, known, initial),
    send: async (draft: Draft) => dayOf(draft),
    onDone: (day) => {
      onDone(day);
      onClose();
    },
  });
  const { draft, change, text, problems } = form;
  return (
    <FormDialog
      form={form}
      title={initial ? "Edit special day" : "Add special day"}
      description="Replaces the hours of its weekday. Saved with the calendar."
      start={initial ? "Change day" : "Add day"}
      pending="Adding…"
      onClose={onClose}
    >
      <DateField
        label="Date"
        value={draft.date}
        error={form.problem("date")}
        onChange={(date) => change({ date })}
        required
      />
      <TextField
        label="Name"
        placeholder="Company outing"
        maxLength={SPECIAL_DAY_NAME_MAX}
        {...text("name")}
      />
      <div className="flex flex-col gap-3">
        <Segmented
          label="Hours"
          value={draft.kind}
          options={KINDS}
          onChange={(kind) =>
            change({
              kind,
              ...(kind === "open" && draft.intervals.length === 0 && { intervals: [nextSlot([])] }),
            })
          }
        />
        {draft.kind === "open" &&
          draft.intervals.map((slot, place) => (
            <IntervalFields
              key={slot.key}
              label={`Hours ${place + 1}`}
              nextDay="the next day"
              slot={slot}
              errors={{
                from: problems[`intervals.${place}.from`],
                to: problems[`intervals.${place}.to`],
              }}
              onChange={(changed) =>
                change({
                  intervals: draft.intervals.map((interval) =>
                    interval.key === slot.key ? changed : interval,
                  ),
                })
              }
              onRemove={() =>
                change({
                  intervals: draft.intervals.filter((interval) => interval.key !== slot.key),
                })
              }
            />
          ))}
        {draft.kind === "open" && (
          <Button
            size="sm"
            variant="ghost"
            className="w-fit"
            disabled={draft.intervals.length >= INTERVALS_A_DAY}
            onClick={() =>
              change({ intervals: [...draft.intervals, nextSlot(draft.intervals.map(timesOf))] })
            }
          >
            <Plus aria-hidden className="size-4" />
            Add hours
          </Button>
        )}
        {problems.intervals && <p className="text-sm text-danger-text">{problems.intervals}</p>}
      </div>
    </FormDialog>
  );
}

function draftOf(day: SpecialDay | undefined): Draft {
  return {
    date: day?.date ?? "",
    name: day?.name ?? "",
    kind: day && day.intervals.length > 0 ? "open" : "closed",
    intervals: day?.intervals.map(slotOf) ?? [],
  };
}

function dayOf({ date, name, kind, intervals }: Draft): SpecialDay {
  return {
    date,
    name: name.trim() || null,
    intervals: kind === "closed" ? [] : intervals.map(timesOf),
  };
}

function faultsIn(
  { date, kind, intervals }: Draft,
  known: readonly SpecialDay[],
  initial: SpecialDay | undefined,
): Problems {
  const isTaken = date !== initial?.date && known.some((day) => day.date === date);
  return Object.fromEntries([
    ...(date === "" ? [["date", "Choose a date."]] : []),
    ...(isTaken ? [["date", "This date is already a special day. Edit it in the list."]] : []),
    ...(kind === "open" && intervals.length === 0
      ? [["intervals", "Add hours, or choose Closed."]]
      : []),
    ...(kind === "open"
      ? intervals.flatMap((slot, place) => slotFaults(`intervals.${place}`, slot))
      : []),
  ]);
}
