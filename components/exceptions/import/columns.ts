import { z } from "zod";
import { createExceptionContract } from "#lib/exceptions/contract.ts";

const FIELDS = createExceptionContract.body?.shape ?? {};

/** What a file says of a column, where the contract's description and example don't fit. */
const IN_FILES: Record<string, { what: string; example?: string }> = {
  title: { what: "What's wrong. Up to 200 characters." },
  assigned_to: { what: "user:<name>.", example: "user:ada" },
  due_at: {
    what: "The deadline, ISO 8601 in UTC. If empty, your SLA policy sets it by severity.",
    example: "2027-01-15T16:00:00Z",
  },
  status: { what: "open or in_review. Defaults to open.", example: "open" },
  reason_code: { what: "Your own reason code. Up to 64 characters." },
  amount_minor: { what: "Money at risk, in the currency's minor unit. Requires currency." },
  currency: { what: "ISO 4217 code. Requires amount_minor." },
  reconciliation_id: { what: "ID of a reconciliation in this tenant.", example: "" },
};

const isWrapper = (field: z.ZodType) =>
  field instanceof z.ZodOptional || field instanceof z.ZodNullable;
const unwrapped = (field: z.ZodType): z.ZodType =>
  isWrapper(field) ? unwrapped(field.unwrap() as z.ZodType) : field;
const metaOf = (field: z.ZodType): z.GlobalMeta =>
  field.meta() ?? (isWrapper(field) ? metaOf(field.unwrap() as z.ZodType) : {});

/** The columns of a file, in the template's order: the fields of creating an exception. */
export const COLUMNS = Object.entries<z.ZodType>(FIELDS).map(([name, field]) => {
  const { description, example = "" } = metaOf(field);
  const inFiles = IN_FILES[name];
  return {
    name,
    required: !field.safeParse(undefined).success,
    what: inFiles?.what ?? description ?? `${choicesOf(field)}.`,
    example:
      inFiles?.example ?? (typeof example === "object" ? JSON.stringify(example) : String(example)),
  };
});

/** "critical, high, medium or low" */
function choicesOf(field: z.ZodType): string {
  const choice = unwrapped(field);
  return choice instanceof z.ZodEnum
    ? new Intl.ListFormat("en-GB", { type: "disjunction" }).format(choice.options.map(String))
    : "";
}

export function csvTemplate(): string {
  const cells = COLUMNS.map(({ example }) => csvCell(example));
  return `${COLUMNS.map(({ name }) => name).join(",")}\r\n${cells.join(",")}\r\n`;
}

export function ndjsonTemplate(): string {
  const filled = COLUMNS.filter(({ example }) => example !== "").map(({ name, example }) => [
    name,
    parsedExample(name, example),
  ]);
  return `${JSON.stringify(Object.fromEntries(filled))}\n`;
}

export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function parsedExample(name: string, example: string): unknown {
  return name === "amount_minor" || name === "details" ? JSON.parse(example) : example;
}
