"use client";

import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import type { SpecialDay } from "#lib/calendars/contract.ts";
import { DayChoice } from "./day-choice.tsx";

type Props = {
  title: string;
  description: string;
  /** What is proposed; undefined: nothing yet. */
  days: readonly SpecialDay[] | undefined;
  known: readonly SpecialDay[];
  dropped: ReadonlySet<string>;
  onDrop: (dropped: ReadonlySet<string>) => void;
  onAdd: (days: SpecialDay[]) => void;
  onClose: () => void;
  children: ReactNode;
};

/** Proposes special days from elsewhere. A person confirms each. */
export function AddDaysDialog({
  title,
  description,
  days,
  known,
  dropped,
  onDrop,
  onAdd,
  onClose,
  children,
}: Props) {
  const chosen = (days ?? []).filter(({ date }) => !dropped.has(date));
  return (
    <Dialog onClose={onClose} title={title} description={description}>
      <DialogBody>
        {children}
        {days && days.length > 0 && (
          <DayChoice
            days={days}
            known={new Set(known.map(({ date }) => date))}
            dropped={dropped}
            onChange={onDrop}
          />
        )}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          variant="primary"
          disabled={chosen.length === 0}
          onClick={() => {
            onAdd(chosen);
            onClose();
          }}
        >
          {chosen.length === 0
            ? "Add days"
            : `Add ${chosen.length} ${chosen.length === 1 ? "day" : "days"}`}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
