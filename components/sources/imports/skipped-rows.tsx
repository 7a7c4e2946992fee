import { FileRows } from "#components/kit/file-rows.tsx";
import type { Import } from "#lib/imports/contract.ts";
import { SKIP_LABELS } from "./labels.tsx";

type Skip = Import["skips"][number];

/** The rows of a file that are not booked money: where, why, and their text. */
export function SkippedRows({ rows, more }: { rows: readonly Skip[]; more: string | false }) {
  return (
    <FileRows
      caption="Skipped rows"
      columns={{ first: "Reason", firstClass: "w-36 max-sm:w-24", second: "Row" }}
      rows={rows.map(({ line, reason, text }) => ({
        line,
        first: SKIP_LABELS[reason],
        second: <span className="text-muted">{text}</span>,
      }))}
      more={more}
    />
  );
}
