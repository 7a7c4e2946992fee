import { Note } from "#components/ui/note.tsx";

/** By which buttons that have to wait name the reason. */
export const PREPARING_ID = "preparing";

/** Said while lines that the sources had before the reconciliation are still coming in. */
export function Preparing() {
  return (
    <div id={PREPARING_ID} role="status">
      <Note tone="info">
        Preparing lines… The sources have many, and they are still coming in. Runs, decisions and
        closing wait until all of them are here.
      </Note>
    </div>
  );
}
