"use client";

import { useState } from "react";
import { lineName } from "#components/kit/line-name.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { TextField } from "#components/ui/text-field.tsx";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";

const REASON_MAX = 900;

/** Excludes a line from the period, with a reason. */
export function ExcludeDialog({
  line,
  onExclude,
  onClose,
}: {
  line: OpenLine;
  onExclude: (reason: string) => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  const [missing, setMissing] = useState(false);
  return (
    <Dialog
      title={`Exclude ${formatMoney(line.open_minor, line.currency)}?`}
      description={`${lineName(line)} leaves the period. The proof counts it as excluded.`}
      onClose={onClose}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (reason.trim() === "") setMissing(true);
          else onExclude(reason.trim());
        }}
        className="flex min-h-0 flex-1 flex-col"
      >
        <DialogBody>
          <TextField
            label="Reason"
            hint="Recorded in the audit log."
            maxLength={REASON_MAX}
            value={reason}
            error={missing && reason.trim() === "" ? "Enter a reason." : undefined}
            onChange={({ target }) => setReason(target.value)}
            required
          />
        </DialogBody>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">
            Exclude line
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
