import { z } from "zod";
import { createExceptionContract } from "#lib/exceptions/contract.ts";

const FIELDS = createExceptionContract.body?.shape ?? {};

/**
 * What the page says of a column. The browser's build leaves out the contract's descriptions and
 * examples, so a field of a fixed set of values is described by these, and others stand here.
 */
const IN_FILES: Record<string, { what: string; example: string }> = {
  title: {
    what: "What's wrong. Up to 200 characters.",
    example: "Payout 4711 has no bank line",
  },
  severity: { what: "critical, high, medium or low.", example: "high" },
  assigned_to: { what: "user:<name>.", example: "user:ada" },
  due_at: {
    what: "The deadline, ISO 8601 in UTC. If empty, your SLA policy sets it by severity.",
    example: "2027-01-15T16:00:00Z",
  },
  status: { what: "open or in_review. Defaults to open.", example: "open" },
  reason_code: {
    what: "Your own reason code. Up to 64 characters.",
    example: "missing_counterpart",
  },
  amount_minor: {
    what: "Money at risk, in the currency's minor unit. Requires currency.",
    example: "125000",
  },
  currency: { what: "ISO 4217 code. Requires amount_minor.", example: "EUR" },
  reconciliation_id: { what: "ID of a reconciliation in this tenant.", example: "" },
  details: { what: "Any JSON object, up to 16 kB.", example: '{"source_line": 118}' },
};

/** The columns of a file, in the template's order: the fields of creating an exception. */
export const COLUMNS = Object.entries<z.ZodType>(FIELDS).map(([name, field]) => {
  const choices = choicesOf(field);
  return {
    name,
    required: !field.safeParse(undefined).success,
    what: `${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(choices)}.`,
    example: choices[0] ?? "",
    ...IN_FILES[name],
  };
});

/** The values of a field that has a fixed set of them. */
function choicesOf(field: z.ZodType): string[] {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable)
    return choicesOf(field.unwrap() as z.ZodType);
  return field instanceof z.ZodEnum ? field.options.map(String) : [];
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
