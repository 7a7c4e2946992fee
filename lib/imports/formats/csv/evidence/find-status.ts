import type { Mapping } from "../../mapping.ts";
import { bookingStateOf } from "../../words/booking-states.ts";
import { plainWords } from "../../words/plain-words.ts";
import { statusColumn } from "../csv-statuses.ts";
import type { Column } from "../csv-table.ts";
import type { Evidence } from "./evidence.ts";

const DUE_NAMES =
  /\bdue ?date\b|faellig|fallig|echeance|vencimiento|scadenza|vencimento|vervaldatum|forfall|forfald/;

export function findStatus(evidence: Evidence): void {
  const statusMapping = evidence.mapping.status;
  const columns = statusMapping
    ? evidence.table.columns.filter(({ name }) => name === statusMapping.column)
    : evidence.table.columns.filter((one) => {
        const mapped = Object.entries(evidence.mapping.fields).filter(
          ([, name]) => name === one.name,
        );
        return mapped.every(([field]) => field === "description" || field === "reference");
      });
  for (const column of columns) {
    const found = statusColumn(column.name, column.all);
    if (!found) continue;
    const booked = [...(statusMapping?.booked ?? [])];
    const not_booked = [...(statusMapping?.not_booked ?? [])];
    const answered = new Set([...booked, ...not_booked].map((text) => text.toLowerCase()));
    if (isInvoiceTable(evidence))
      found.unknown.push(...found.not_booked.filter((text) => bookingStateOf(text) === "pending"));
    const [unknown] = found.unknown.filter((text) => !answered.has(text.toLowerCase()));
    const status = (value: string, isBooked: boolean) => ({
      column: column.name,
      booked: isBooked ? [...booked, value] : booked,
      not_booked: isBooked ? not_booked : [...not_booked, value],
    });
    if (unknown !== undefined) {
      askStatus(evidence, column, unknown, status);
      return;
    }
    // Known words need no entry in the mapping; blanks and flags do.
    if (found.booked.includes("") && !answered.has("")) booked.push("");
    if (isFlag(found)) {
      booked.push(...found.booked);
      not_booked.push(...found.not_booked);
    }
    evidence.mapping = {
      ...evidence.mapping,
      status: {
        column: column.name,
        ...(booked.length > 0 && { booked }),
        ...(not_booked.length > 0 && { not_booked }),
      },
    };
    return;
  }
}

/**
 * Whether rows are invoices: one that awaits its payment is booked, and one that awaits approval
 * may not be.
 */
function isInvoiceTable(evidence: Evidence): boolean {
  return evidence.table.columns.some(({ name }) => DUE_NAMES.test(plainWords(name)));
}

function askStatus(
  evidence: Evidence,
  column: Column,
  value: string,
  status: (value: string, isBooked: boolean) => NonNullable<Mapping["status"]>,
): void {
  const row = evidence.table.rows[column.all.indexOf(value)];
  const shown = row ? row.cells.filter((cell) => cell.trim() !== "").join(" ") : "";
  evidence.questions.push({
    about: "status",
    message:
      `Column "${column.name}" has the status ${value === "" ? "(blank)" : `"${value}"`}. ` +
      "Are these rows booked?",
    example: value,
    choices: [
      {
        value: JSON.stringify(status(value, true)),
        reads_as: `Booked, imported: ${shown}`.slice(0, 200),
      },
      {
        value: JSON.stringify(status(value, false)),
        reads_as: `Not booked, skipped: ${shown}`.slice(0, 200),
      },
    ],
  });
}

function isFlag({ booked, not_booked }: { booked: string[]; not_booked: string[] }): boolean {
  return (
    [...booked, ...not_booked].every((value) => value.length <= 5 && value !== "") &&
    [...booked, ...not_booked].some((value) =>
      /^(?:y|yes|true|1|x|ja|j|oui|si|sim|n|no|false|0|nein|non|nee|nej|nei)$/i.test(value),
    )
  );
}
