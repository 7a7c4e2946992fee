"use client";

import { CheckField } from "#components/ui/check-field.tsx";
import { DateField } from "#components/ui/date-field.tsx";
import { TextArea, TextField } from "#components/ui/text-field.tsx";
import type { Field } from "#lib/records/surfaces/surface.ts";
import { JsonField } from "./json-field.tsx";

type Props = {
  field: Field;
  value: unknown;
  error?: string;
  /** Undefined removes the field; null means the input can't be sent. */
  onChange: (value: unknown) => void;
};

export function FieldEditor({ field: { label, input }, value, error, onChange }: Props) {
  const text = typeof value === "string" ? value : "";
  const typed = ({ target }: { target: { value: string } }) =>
    onChange(target.value === "" ? undefined : target.value);
  switch (input) {
    case "switch":
      return (
        <CheckField
          label={label}
          checked={value === true}
          error={error}
          onChange={({ target }) => onChange(target.checked)}
        />
      );
    case "text":
      return <TextArea label={label} value={text} rows={4} error={error} onChange={typed} />;
    case "markdown":
      return (
        <TextArea
          label={`${label} (Markdown)`}
          value={text}
          rows={12}
          error={error}
          onChange={typed}
        />
      );
    case "time":
      return (
        <DateField
          label={`${label} (UTC)`}
          time="09:00"
          value={text.slice(0, 16)}
          error={error}
          onChange={(time) => onChange(time === "" ? undefined : `${time}:00.000Z`)}
        />
      );
    case "object":
      return (
        <JsonField
          label={`${label} (JSON)`}
          value={
            typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
          }
          rows={6}
          error={error}
          onChange={onChange}
        />
      );
    case "line":
      return <TextField label={label} value={text} error={error} onChange={typed} />;
  }
}
