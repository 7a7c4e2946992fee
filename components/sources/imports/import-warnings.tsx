import { Note } from "#components/ui/note.tsx";
import type { Import } from "#lib/imports/contract.ts";

type Warning = Import["warnings"][number];

/** What the page lists anyway: skipped and rejected rows. */
const LISTED: readonly Warning["code"][] = ["skipped", "refused"];

/** What needs a look although the file could be read. */
export function ImportWarnings({ warnings }: { warnings: readonly Warning[] }) {
  const visible = warnings.filter(({ code }) => !LISTED.includes(code));
  if (visible.length === 0) return null;
  return (
    <Note tone="warning">
      {visible.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
    </Note>
  );
}
