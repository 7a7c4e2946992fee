import { COLUMNS } from "./columns.ts";

export function ColumnsTable() {
  return (
    <section aria-labelledby="columns" className="flex flex-col gap-2">
      <h2 id="columns" className="font-semibold">
        Columns
      </h2>
      <p className="text-sm text-muted">
        Any order. NDJSON uses the same field names. An empty cell means the field isn't set.
      </p>
      <dl className="rounded-lg border border-line bg-raised text-sm">
        {COLUMNS.map(({ name, required, what, example }) => (
          <div
            key={name}
            className="grid gap-x-4 gap-y-0.5 border-b border-line px-4 py-2.5 last:border-b-0 sm:grid-cols-[11rem_1fr]"
          >
            <dt>
              <code className="font-mono text-xs font-semibold">{name}</code>
              {required && <span className="ml-2 text-xs text-muted">required</span>}
            </dt>
            <dd>
              {what}
              {example && (
                <code className="ml-2 font-mono text-xs break-all text-muted">{example}</code>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
