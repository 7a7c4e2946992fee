import { Note } from "#components/ui/note.tsx";
import type { Import } from "#lib/imports/contract.ts";

type Warning = Import["warnings"][number];

/** The warnings about skipped and rejected rows, which the page lists separately. */
const LISTED: readonly Warning["code"][] = ["skipped", "refused"];

/** Warnings about a file that could be read. */
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
