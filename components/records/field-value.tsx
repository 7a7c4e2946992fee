import { Check, Minus } from "lucide-react";
import { valueText } from "#components/kit/field-labels.ts";
import { Time } from "#components/ui/time.tsx";
import type { Field } from "#lib/records/surfaces/surface.ts";

/** A field's value in a list: one line, whatever its type. */
export function FieldValue({ field, value }: { field: Field; value: unknown }) {
  if (field.input === "switch") {
    const Icon = value === true ? Check : Minus;
    return (
      <span className="inline-flex items-center gap-1.5">
        <Icon
          aria-hidden
          className={value === true ? "size-4 text-accent-text" : "size-4 text-muted"}
        />
        {value === true ? "Yes" : "No"}
      </span>
    );
  }
  if (value === null || value === undefined || value === "") {
    return (
      <span className="text-muted">
        <span aria-hidden>–</span>
        <span className="sr-only">None</span>
      </span>
    );
  }
  if (field.input === "time" && typeof value === "string") return <Time iso={value} />;
  return <span>{valueText(value)}</span>;
}
