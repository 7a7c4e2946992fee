/** The columns of a file, in the template's order. A test compares them with the contract. */
export const COLUMNS = [
  {
    name: "title",
    required: true,
    what: "What's wrong. Up to 200 characters.",
    example: "Payout 4711 has no bank line",
  },
  { name: "severity", required: true, what: "critical, high, medium or low.", example: "high" },
  { name: "assigned_to", required: false, what: "user:<name>.", example: "user:ada" },
  {
    name: "due_at",
    required: false,
    what: "The deadline, ISO 8601 in UTC. If empty, your SLA policy sets it by severity.",
    example: "2027-01-15T16:00:00Z",
  },
  {
    name: "status",
    required: false,
    what: "open or in_review. Defaults to open.",
    example: "open",
  },
  {
    name: "reason_code",
    required: false,
    what: "Your own reason code. Up to 64 characters.",
    example: "missing_counterpart",
  },
  {
    name: "amount_minor",
    required: false,
    what: "Money at risk, in cents or the currency's smallest unit. Requires currency.",
    example: "125000",
  },
  {
    name: "currency",
    required: false,
    what: "The currency's code, such as EUR or USD. Requires amount_minor.",
    example: "EUR",
  },
  {
    name: "reconciliation_id",
    required: false,
    what: "ID of a reconciliation in this tenant.",
    example: "",
  },
  {
    name: "details",
    required: false,
    what: "Any JSON object, up to 16 kB.",
    example: '{"source_line": 118}',
  },
] as const;

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
