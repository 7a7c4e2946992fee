"use client";

import { CheckField } from "#components/ui/check-field.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import type { ImportPreview } from "#lib/imports/contract.ts";
import {
  DATE_FORMATS,
  type DateFormat,
  DELIMITERS,
  type Delimiter,
  ENCODINGS,
  type Encoding,
  type MappedField,
  type Mapping,
} from "#lib/imports/formats/mapping.ts";
import { type AmountStyle, withAmountStyle, withColumn } from "./draft.ts";
import { DELIMITER_LABELS, ENCODING_LABELS, FIELD_LABELS } from "./labels.tsx";

type Columns = NonNullable<ImportPreview["columns"]>;

const STYLES: readonly { value: AmountStyle; label: string }[] = [
  { value: "signed", label: "With a sign" },
  { value: "two_columns", label: "Separate in and out columns" },
  { value: "named", label: "Debit or credit" },
];

const AMOUNT_COLUMNS: Record<AmountStyle, readonly MappedField[]> = {
  signed: ["amount"],
  two_columns: ["debit", "credit"],
  named: ["amount", "sign"],
};

const TEXT_COLUMNS: readonly MappedField[] = [
  "reference",
  "counterparty",
  "description",
  "external_id",
  "currency",
  "group_key",
];

const isDelimiter = (value: string): value is Delimiter =>
  DELIMITERS.some((delimiter) => delimiter === value);
const isEncoding = (value: string | null): value is Encoding =>
  ENCODINGS.some((encoding) => encoding === value);
const isDateFormat = (value: string): value is DateFormat =>
  DATE_FORMATS.some((format) => format === value);

/** The column of each field, and the format of its values. */
export function MappingFields({
  columns,
  mapping,
  style,
  missing,
  onStyle,
  onChange,
  encoding,
  onLayout,
}: {
  columns: Columns;
  mapping: Mapping;
  style: AmountStyle;
  missing: readonly MappedField[];
  onStyle: (style: AmountStyle) => void;
  onChange: (mapping: Mapping) => void;
  /** What the file was read as. */
  encoding: string | null;
  /** The file is split into cells again, and its columns are detected again. */
  onLayout: (layout: Pick<Mapping, "encoding" | "delimiter" | "header_row">) => void;
}) {
  const layout = {
    ...(isEncoding(encoding) && { encoding }),
    ...(mapping.delimiter && { delimiter: mapping.delimiter }),
    header_row: mapping.header_row !== false,
  };
  const column = (field: MappedField) => (
    <ColumnField
      key={field}
      field={field}
      columns={columns}
      value={mapping.fields[field] ?? ""}
      error={missing.includes(field) ? "Choose a column." : undefined}
      onChange={(name) => onChange(withColumn(mapping, field, name))}
    />
  );
  return (
    <div className="flex flex-col gap-5">
      <fieldset className="flex min-w-0 flex-col gap-3">
        <legend className="mb-2 text-sm font-semibold">Amounts</legend>
        <Segmented
          label="How amounts are written"
          value={style}
          options={STYLES}
          onChange={(chosen) => {
            onStyle(chosen);
            onChange(withAmountStyle(mapping, chosen));
          }}
        />
        {AMOUNT_COLUMNS[style].map(column)}
        {style === "named" && mapping.fields.sign !== undefined && (
          <SignValues mapping={mapping} onChange={onChange} />
        )}
        {column("fee")}
        {mapping.fields.fee !== undefined && <FeeSign mapping={mapping} onChange={onChange} />}
        <SelectField
          label="Decimals"
          value={mapping.decimal_separator ?? ""}
          onChange={({ target }) => {
            const { decimal_separator: _, ...rest } = mapping;
            onChange(
              target.value === "," || target.value === "."
                ? { ...rest, decimal_separator: target.value }
                : rest,
            );
          }}
        >
          <option value="">As each amount shows</option>
          <option value=",">Comma: 1.250,00</option>
          <option value=".">Point: 1,250.00</option>
        </SelectField>
      </fieldset>
      <fieldset className="flex min-w-0 flex-col gap-3">
        <legend className="mb-2 text-sm font-semibold">Dates</legend>
        {column("value_date")}
        {column("booked_date")}
        <SelectField
          label="Date format"
          value={mapping.date_format ?? ""}
          onChange={({ target }) =>
            isDateFormat(target.value) && onChange({ ...mapping, date_format: target.value })
          }
        >
          {mapping.date_format === undefined && <option value="">Choose a format</option>}
          {DATE_FORMATS.map((format) => (
            <option key={format} value={format}>
              {format.replace("unix_", "Unix time in ").replace(/ ms$/, " milliseconds")}
            </option>
          ))}
        </SelectField>
      </fieldset>
      <fieldset className="flex min-w-0 flex-col gap-3">
        <legend className="mb-2 text-sm font-semibold">Text</legend>
        {TEXT_COLUMNS.map(column)}
      </fieldset>
      <fieldset className="flex min-w-0 flex-col gap-3">
        <legend className="mb-2 text-sm font-semibold">File</legend>
        <SelectField
          label="Separator"
          value={mapping.delimiter ?? ","}
          onChange={({ target }) =>
            isDelimiter(target.value) && onLayout({ ...layout, delimiter: target.value })
          }
        >
          {DELIMITERS.map((delimiter) => (
            <option key={delimiter} value={delimiter}>
              {DELIMITER_LABELS[delimiter]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Encoding"
          value={layout.encoding ?? "utf-8"}
          hint="Choose another if letters such as ä or é look wrong."
          onChange={({ target }) =>
            isEncoding(target.value) && onLayout({ ...layout, encoding: target.value })
          }
        >
          {ENCODINGS.map((item) => (
            <option key={item} value={item}>
              {ENCODING_LABELS[item]}
            </option>
          ))}
        </SelectField>
        <CheckField
          label="Header row"
          checked={layout.header_row}
          onChange={({ target }) => onLayout({ ...layout, header_row: target.checked })}
        />
      </fieldset>
    </div>
  );
}

function ColumnField({
  field,
  columns,
  value,
  error,
  onChange,
}: {
  field: MappedField;
  columns: Columns;
  value: string;
  error?: string | undefined;
  onChange: (column: string) => void;
}) {
  const isKnown = value === "" || columns.some(({ name }) => name === value);
  const samples =
    columns.find(({ name }) => name === value)?.samples.filter((sample) => sample.trim() !== "") ??
    [];
  return (
    <SelectField
      label={FIELD_LABELS[field]}
      value={value}
      error={error ?? (isKnown ? undefined : `The file has no column "${value}".`)}
      hint={
        samples.length > 0 && (
          <span className="block truncate">{samples.slice(0, 3).join(" · ")}</span>
        )
      }
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">Not in the file</option>
      {!isKnown && <option value={value}>{value}</option>}
      {columns.map(({ name }) => (
        <option key={name} value={name}>
          {/^\d+$/.test(name) ? `Column ${name}` : name}
        </option>
      ))}
    </SelectField>
  );
}

/** How fees are written, and the rule that the amount must be the one before them. */
function FeeSign({
  mapping,
  onChange,
}: {
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}) {
  return (
    <SelectField
      label="Fees are written"
      value={mapping.fee_sign ?? "plus"}
      hint="Choose the amount before the fee, often called gross, as the amount."
      onChange={({ target }) => {
        const { fee_sign: _, ...rest } = mapping;
        onChange(target.value === "minus" ? { ...rest, fee_sign: "minus" } : rest);
      }}
    >
      <option value="plus">Without a sign: 2.90</option>
      <option value="minus">With a minus: -2.90</option>
    </SelectField>
  );
}

const USUAL = { debit: ["D", "DR", "S", "Soll"], credit: ["C", "CR", "H", "Haben"] };

/** The values of the sign column; sent once both are known. */
function SignValues({
  mapping,
  onChange,
}: {
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}) {
  const values = mapping.sign_values;
  const saveWords = (side: "debit" | "credit", typed: string) => {
    const words = typed.split(",").flatMap((word) => (word.trim() === "" ? [] : [word.trim()]));
    const next = {
      debit: values?.debit ?? USUAL.debit,
      credit: values?.credit ?? USUAL.credit,
      [side]: words,
    };
    const { sign_values: _, ...rest } = mapping;
    onChange(words.length === 0 ? rest : { ...rest, sign_values: next });
  };
  return (
    <div className="grid grid-cols-2 gap-3">
      {(["debit", "credit"] as const).map((side) => (
        <TextField
          key={`${side} ${values?.[side]?.join() ?? ""}`}
          label={side === "debit" ? "Means money out" : "Means money in"}
          autoComplete="off"
          spellCheck={false}
          placeholder={USUAL[side].join(", ")}
          defaultValue={values?.[side]?.join(", ") ?? ""}
          onBlur={({ target }) =>
            target.value !== (values?.[side]?.join(", ") ?? "") && saveWords(side, target.value)
          }
        />
      ))}
    </div>
  );
}
