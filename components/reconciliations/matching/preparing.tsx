import { Note } from "#components/ui/note.tsx";

/** The ID by which disabled buttons refer to the reason. */
export const PREPARING_ID = "preparing";

/** Shown while lines that the sources had before the reconciliation are still being added. */
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
