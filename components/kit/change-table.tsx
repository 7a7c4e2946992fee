/** A table of changes: name, current value, new value. */
export function ChangeTable({
  rows,
}: {
  rows: readonly (readonly [name: string, before: string, after: string])[];
}) {
  return (
    <table className="w-full table-fixed text-sm">
      <caption className="sr-only">What changes</caption>
      <thead className="text-left text-muted">
        <tr className="border-b border-line">
          <th scope="col" className="w-28 py-1.5 font-medium">
            <span className="sr-only">Setting</span>
          </th>
          <th scope="col" className="py-1.5 font-medium">
            Now
          </th>
          <th scope="col" className="py-1.5 font-medium">
            After
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, before, after]) => (
          <tr key={name} className="border-b border-line align-top">
            <th scope="row" className="py-1.5 pr-3 text-left font-medium">
              {name}
            </th>
            <td className="py-1.5 pr-3 wrap-break-word text-muted">{before}</td>
            <td className="py-1.5 wrap-break-word">{after}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
