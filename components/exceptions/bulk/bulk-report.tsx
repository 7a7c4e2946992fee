"use client";

import { ProblemNote } from "#components/kit/problem-note.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";

const LISTED_MAX = 200;

type Named = { id: string; title: string };

/** The exceptions that weren't changed, and why. They stay selected. */
export function BulkReport({
  refused,
  unsent,
  error,
  isSelected = true,
  onClose,
}: {
  refused: { item: Named; reason: string }[];
  unsent: Named[];
  error: Error | null;
  /** Whether they are still selected. */
  isSelected?: boolean;
  onClose: () => void;
}) {
  const count = refused.length + unsent.length;
  return (
    <Dialog
      onClose={onClose}
      title={`${pluralize(count, "exception was", "exceptions were")} not changed`}
      description={isSelected ? "They're unchanged and still selected." : "They're unchanged."}
    >
      <DialogBody>
        {unsent.length > 0 && <Unsent error={error} count={unsent.length} />}
        {refused.length > 0 && (
          <ul aria-label="Refused" className="flex flex-col gap-2 text-sm">
            {refused.slice(0, LISTED_MAX).map(({ item, reason }) => (
              <li key={item.id} className="border-l-2 border-line pl-3">
                <span className="block font-medium wrap-break-word">{item.title}</span>
                <span className="text-muted">{reason}</span>
              </li>
            ))}
            {refused.length > LISTED_MAX && (
              <li className="text-muted">
                and {(refused.length - LISTED_MAX).toLocaleString("en")} more
              </li>
            )}
          </ul>
        )}
      </DialogBody>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Unsent({ error, count }: { error: Error | null; count: number }) {
  const reason = `${pluralize(count, "was", "were")} not changed because of this.`;
  return error ? (
    <ProblemNote error={error}>{reason}</ProblemNote>
  ) : (
    <Note tone="info">Stopped. {reason}</Note>
  );
}
