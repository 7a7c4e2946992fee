import { FileRows } from "./file-rows.tsx";

export type RejectedRow = { line: number | null; field: string | null; message: string };

/** The rejected rows of a file, with place and reason. */
export function RejectedRows({
  rows,
  more,
}: {
  rows: readonly RejectedRow[];
  more: string | false;
}) {
  return (
    <FileRows
      caption="Rejected rows"
      columns={{ first: "Field", firstClass: "w-28 max-sm:w-20", second: "Reason" }}
      rows={rows.map(({ line, field, message }) => ({
        line,
        first: <span className="font-mono text-xs leading-5 wrap-anywhere">{field || "–"}</span>,
        second: message,
      }))}
      more={more}
    />
  );
}
