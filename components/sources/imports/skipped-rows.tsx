import type { Import } from "#lib/imports/contract.ts";
import { SKIP_WORDS } from "./words.tsx";

type Skip = Import["skips"][number];

/**
 * The rows of a file that are not booked money: where, why, and their text. `more`: about those
 * that aren't listed.
 */
export function SkippedRows({ rows, more }: { rows: readonly Skip[]; more: string | false }) {
  if (rows.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="rounded-lg border border-line bg-raised">
        <table className="w-full text-sm">
          <caption className="sr-only">Skipped rows</caption>
          <thead className="text-left text-xs text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="w-16 py-2 pr-2 pl-3 text-right font-medium">
                Line
              </th>
              <th scope="col" className="w-36 px-2 py-2 font-medium max-sm:w-24">
                Reason
              </th>
              <th scope="col" className="py-2 pr-3 pl-2 font-medium">
                Row
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ line, reason, text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line can have several
              <tr key={index} className="border-b border-line align-top last:border-b-0">
                <th scope="row" className="py-2 pr-2 pl-3 text-right font-normal tabular-nums">
                  {line.toLocaleString("en")}
                </th>
                <td className="px-2 py-2">{SKIP_WORDS[reason]}</td>
                <td className="py-2 pr-3 pl-2 text-muted wrap-anywhere">{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more && <p className="text-sm text-muted">{more}</p>}
    </div>
  );
}
