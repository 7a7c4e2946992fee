"use client";

import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { Segmented } from "#components/ui/segmented.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import type { Match } from "#lib/matching/contract.ts";
import { ADJUSTMENT_LABELS } from "./match-labels.ts";

type Kind = Match["adjustments"][number]["kind"];
const KINDS = (["write_off", "fee", "fx", "rounding", "other"] as const).map((value) => ({
  value,
  label: ADJUSTMENT_LABELS[value],
}));
const NOTE_MAX = 500;

/** Asks what explains the difference of a match. */
export function ExplainDialog({
  difference,
  currency,
  onExplain,
  onClose,
}: {
  difference: number;
  currency: string;
  onExplain: (kind: Kind, note: string | null) => void;
  onClose: () => void;
}) {
  const [kind, setKind] = useState<Kind>("write_off");
  const [note, setNote] = useState("");
  const money = formatMoney(difference, currency);
  return (
    <Dialog
      title={`Match and explain ${money}`}
      description="The difference is recorded on the match and in the statement."
      onClose={onClose}
    >
      <form
        onKeyDown={(event) => {
          if (event.key === "Enter" && event.repeat) event.preventDefault();
        }}
        onSubmit={(event) => {
          event.preventDefault();
          onExplain(kind, note.trim() || null);
        }}
        className="flex min-h-0 flex-1 flex-col"
      >
        <DialogBody>
          <TextField
            label="Note"
            hint="Optional"
            maxLength={NOTE_MAX}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
          <div className="overflow-x-auto">
            <Segmented
              label="What the difference is"
              value={kind}
              options={KINDS}
              onChange={setKind}
            />
          </div>
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">
            {kind === "write_off" ? `Write off ${money}` : `Match and record ${money}`}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
