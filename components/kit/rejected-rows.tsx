export type RejectedRow = { line: number | null; field: string | null; message: string };

/**
 * The rejected rows of a file, with place and reason. `more` describes those that aren't listed.
 */
export function RejectedRows({
  rows,
  more,
}: {
  rows: readonly RejectedRow[];
  more: string | false;
}) {
  if (rows.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="rounded-lg border border-line bg-raised">
        <table className="w-full text-sm">
          <caption className="sr-only">Rejected rows</caption>
          <thead className="text-left text-xs text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="w-16 py-2 pr-2 pl-3 text-right font-medium">
                Line
              </th>
              <th scope="col" className="w-28 px-2 py-2 font-medium max-sm:w-20">
                Field
              </th>
              <th scope="col" className="py-2 pr-3 pl-2 font-medium">
                Reason
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ line, field, message }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line can have several
              <tr key={index} className="border-b border-line align-top last:border-b-0">
                <th scope="row" className="py-2 pr-2 pl-3 text-right font-normal tabular-nums">
                  {line?.toLocaleString("en") ?? "–"}
                </th>
                <td className="px-2 py-2 font-mono text-xs leading-5 wrap-anywhere">
                  {field || "–"}
                </td>
                <td className="py-2 pr-3 pl-2 wrap-anywhere">{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more && <p className="text-sm text-muted">{more}</p>}
    </div>
  );
}
