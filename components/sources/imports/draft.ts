import type { MappedField, Mapping } from "#lib/imports/formats/mapping.ts";
import { answerValue } from "./answer-labels.ts";

/**
 * How a file writes its amounts: in one column with a sign, in a column for each direction, or with
 * a column that names the direction.
 */
export type AmountStyle = "signed" | "two_columns" | "named";

/** The mapping of JSON that already uses our field names. */
export const NO_FIELDS: Mapping = { fields: {} };

const AMOUNT_FIELDS = ["amount", "amount_minor", "debit", "credit", "sign"] as const;

export function amountStyleOf({ fields }: Mapping): AmountStyle {
  if (fields.debit !== undefined || fields.credit !== undefined) return "two_columns";
  return fields.sign === undefined ? "signed" : "named";
}

/**
 * The mapping for another amount style, without the columns that have a different meaning in it.
 */
export function withAmountStyle(before: Mapping, style: AmountStyle): Mapping {
  const mapping = withoutSettings(before, ["debit", "credit", "amount"]);
  // Otherwise the preview would find the debit and credit columns again.
  if (style === "signed" && before.fields.sign !== undefined) mapping.amount_sign = "own";
  const rest = without(mapping.fields, AMOUNT_FIELDS);
  const { amount, amount_minor } = mapping.fields;
  const remaining =
    style === "two_columns"
      ? {}
      : { ...(amount && { amount }), ...(amount_minor && { amount_minor }) };
  return { ...mapping, fields: { ...rest, ...remaining } };
}

/** Settings of a field's column, which don't apply to another column. */
const SETTINGS: Partial<Record<MappedField, readonly (keyof Mapping)[]>> = {
  debit: ["debit_sign"],
  credit: ["credit_sign"],
  amount: ["amount_sign", "unmarked"],
  sign: ["amount_sign", "sign_values"],
  currency: ["currency"],
};

function withoutSettings(mapping: Mapping, fields: readonly MappedField[]): Mapping {
  const dropped = fields.flatMap((field) => SETTINGS[field] ?? []);
  return Object.fromEntries(
    Object.entries(mapping).filter(([name]) => !dropped.includes(name as keyof Mapping)),
  ) as Mapping;
}

/** `column`: empty for none. */
export function withColumn(before: Mapping, field: MappedField, column: string): Mapping {
  const mapping = withoutSettings(before, [field]);
  // Having a fee column means that the fee is deducted from the amount.
  if (field === "fee") mapping.fee_handling = column === "" ? "included" : "deducted";
  const rest = without(mapping.fields, [field]);
  return { ...mapping, fields: column === "" ? rest : { ...rest, [field]: column } };
}

/** `path`: empty for none. */
export function withLinesPath({ lines_path: _, ...mapping }: Mapping, path: string): Mapping {
  return path === "" ? mapping : { ...mapping, lines_path: path };
}

/** An answer to a question of the preview, whose `about` names the mapping's field. */
export function withAnswer(mapping: Mapping, about: string, value: string): Mapping {
  const field = about.startsWith("fields.") && about.slice("fields.".length);
  if (field) return withColumn(mapping, field as MappedField, value);
  // Another sheet has other columns.
  if (about === "sheet") return { fields: {}, sheet: value };
  return { ...mapping, [about]: answerValue(about, value) };
}

/** The fields that still need a column before the file can be read. */
export function missingColumns({ fields }: Mapping, style: AmountStyle): MappedField[] {
  const missing: MappedField[] = [];
  if (style === "two_columns" && fields.debit === undefined && fields.credit === undefined)
    missing.push("debit");
  if (style !== "two_columns" && fields.amount === undefined && fields.amount_minor === undefined)
    missing.push("amount");
  if (style === "named" && fields.sign === undefined) missing.push("sign");
  if (fields.value_date === undefined && fields.booked_date === undefined)
    missing.push("value_date");
  return missing;
}

/** Whether both read a file in the same way, whatever the order of their members. */
export function sameMapping(a: Mapping | null, b: Mapping | null): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

function without(fields: Mapping["fields"], names: readonly MappedField[]): Mapping["fields"] {
  return Object.fromEntries(
    Object.entries(fields).filter(([field]) => !names.includes(field as MappedField)),
  );
}
