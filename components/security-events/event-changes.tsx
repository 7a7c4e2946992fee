import { DataValue } from "#components/kit/data-fields.tsx";
import { fieldName } from "#components/kit/field-labels.ts";
import { PanelSection } from "#components/kit/panel-parts.tsx";
import type { FieldChange } from "./changes.ts";

/** Before and after, by field. */
export function EventChanges({ changes }: { changes: FieldChange[] }) {
  return (
    <PanelSection title="Before and after">
      <ul className="flex flex-col gap-3">
        {changes.map(({ field, from, to }) => (
          <li key={field} className="overflow-hidden rounded-md border border-line text-sm">
            <h4 className="border-b border-line bg-canvas px-3 py-1.5 text-xs font-medium">
              {fieldName(field)}
            </h4>
            <Line tone="danger" sign="−" label="Before" value={from} />
            <Line tone="good" sign="+" label="After" value={to} />
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

function Line({
  tone,
  sign,
  label,
  value,
}: {
  tone: "danger" | "good";
  sign: string;
  label: string;
  value: unknown;
}) {
  return (
    <p data-tone={tone} className="flex gap-2 bg-tone-soft px-3 py-1.5 text-tone-ink">
      <span aria-hidden className="font-mono">
        {sign}
      </span>
      <span className="sr-only">{label}: </span>
      <span className="min-w-0 wrap-break-word">
        <DataValue value={value} />
      </span>
    </p>
  );
}
