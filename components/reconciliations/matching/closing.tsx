import { Note } from "#components/ui/note.tsx";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";

/** The ID by which disabled buttons refer to the reason. */
export const CLOSING_ID = "closing";

/** Shown while a period with many lines is being closed, and if that failed. */
export function Closing({
  closing,
  failure,
}: {
  closing: boolean;
  failure: Reconciliation["closing_failure"];
}) {
  return (
    <div id={CLOSING_ID} role="status">
      {closing ? (
        <Note tone="info">
          <p className="font-semibold">Closing this period…</p>
          With this many lines it takes a moment. Until it's done, nothing in the period can be
          changed. This page updates automatically.
        </Note>
      ) : (
        failure && (
          <Note tone="danger">
            <p className="font-semibold">This period couldn't be closed</p>
            {failure}
          </Note>
        )
      )}
    </div>
  );
}
