/** What came of an import's rows, as figures. */
export function ImportCounts({ counts }: { counts: readonly (readonly [string, number])[] }) {
  return (
    <dl className="grid auto-cols-fr overflow-hidden rounded-lg border border-line bg-raised @md:grid-flow-col">
      {counts.map(([name, count]) => (
        <div
          key={name}
          className="-mr-px -mb-px flex items-baseline justify-between gap-3 border-r border-b border-line px-3 py-2 @md:block"
        >
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="text-lg font-semibold tabular-nums">{count.toLocaleString("en")}</dd>
        </div>
      ))}
    </dl>
  );
}
