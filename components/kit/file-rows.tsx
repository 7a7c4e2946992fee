import type { ReactNode } from "react";

type FileRow = { line: number | null; first: ReactNode; second: ReactNode };

/**
 * Rows of a file by their line, with two more columns. `more` describes those that aren't listed.
 */
export function FileRows({
  caption,
  columns,
  rows,
  more,
}: {
  caption: string;
  columns: { first: string; firstClass: string; second: string };
  rows: readonly FileRow[];
  more: string | false;
}) {
  if (rows.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="rounded-lg border border-line bg-raised">
        <table className="w-full text-sm">
          <caption className="sr-only">{caption}</caption>
          <thead className="text-left text-xs text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="w-16 py-2 pr-2 pl-3 text-right font-medium">
                Line
              </th>
              <th scope="col" className={`px-2 py-2 font-medium ${columns.firstClass}`}>
                {columns.first}
              </th>
              <th scope="col" className="py-2 pr-3 pl-2 font-medium">
                {columns.second}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ line, first, second }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line can have several
              <tr key={index} className="border-b border-line align-top last:border-b-0">
                <th scope="row" className="py-2 pr-2 pl-3 text-right font-normal tabular-nums">
                  {line?.toLocaleString("en") ?? "–"}
                </th>
                <td className="px-2 py-2">{first}</td>
                <td className="py-2 pr-3 pl-2 wrap-anywhere">{second}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more && <p className="text-sm text-muted">{more}</p>}
    </div>
  );
}
