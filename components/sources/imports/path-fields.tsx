"use client";

import { Disclosure } from "#components/ui/disclosure.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import {
  DATE_FORMATS,
  MAPPED_FIELDS,
  type MappedField,
  type Mapping,
} from "#lib/imports/formats/mapping.ts";
import { withColumn, withLinesPath } from "./draft.ts";
import { FIELD_LABELS } from "./labels.tsx";

/** Without a path, a field is the member with its name, except these. */
const WITHOUT_NAME: readonly MappedField[] = ["debit", "credit", "sign", "fee"];

/** The path of the lines in a JSON document, and of the fields in a line. */
export function PathFields({
  mapping,
  onChange,
}: {
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}) {
  const path = (
    label: string,
    value: string,
    placeholder: string,
    keep: (path: string) => Mapping,
  ) => (
    <TextField
      key={`${label} ${value}`}
      label={label}
      defaultValue={value}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        // Enter loads the lines at this path; it doesn't start the import.
        event.preventDefault();
        event.currentTarget.blur();
      }}
      onBlur={({ target }) => target.value.trim() !== value && onChange(keep(target.value.trim()))}
    />
  );
  return (
    <Disclosure title="Where the fields are">
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted">
          Separate names with dots, such as amount.value. Leave a field empty to read the member of
          the same name.
        </p>
        {path("List of lines", mapping.lines_path ?? "", "lines", (typed) =>
          withLinesPath(mapping, typed),
        )}
        {MAPPED_FIELDS.map((field) =>
          path(
            FIELD_LABELS[field],
            mapping.fields[field] ?? "",
            WITHOUT_NAME.includes(field) ? "" : field,
            (typed) => withColumn(mapping, field, typed),
          ),
        )}
        <SelectField
          label="Date format"
          value={mapping.date_format ?? "YYYY-MM-DD"}
          onChange={({ target }) => {
            const date_format = DATE_FORMATS.find((format) => format === target.value);
            if (date_format) onChange({ ...mapping, date_format });
          }}
        >
          {DATE_FORMATS.map((format) => (
            <option key={format} value={format}>
              {format.replace("unix_", "Unix time in ").replace(/ ms$/, " milliseconds")}
            </option>
          ))}
        </SelectField>
      </div>
    </Disclosure>
  );
}
