import {
  Ban,
  CircleCheck,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
  TriangleAlert,
  Undo2,
} from "lucide-react";
import { Badge, type Tone } from "#components/ui/badge.tsx";
import type { Import } from "#lib/imports/contract.ts";
import type { DELIMITERS, ENCODINGS, MappedField } from "#lib/imports/formats/mapping.ts";

export const DELIMITER_LABELS: Record<(typeof DELIMITERS)[number], string> = {
  ",": "Comma",
  ";": "Semicolon",
  "\t": "Tab",
  "|": "Pipe",
};

export const ENCODING_LABELS: Record<(typeof ENCODINGS)[number], string> = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16 LE",
  "utf-16be": "UTF-16 BE",
  "windows-1252": "Windows-1252",
  "windows-1250": "Windows-1250",
  "iso-8859-2": "ISO 8859-2",
  "iso-8859-15": "ISO 8859-15",
};

export const FIELD_LABELS: Record<MappedField, string> = {
  amount: "Amount",
  amount_minor: "Amount in cents",
  debit: "Money out",
  credit: "Money in",
  sign: "Debit or credit",
  fee: "Fee",
  fee_minor: "Fee in cents",
  currency: "Currency",
  value_date: "Value date",
  booked_date: "Booking date",
  reference: "Reference",
  counterparty: "Counterparty",
  description: "Description",
  group_key: "Group",
  external_id: "Line ID",
};

export const SKIP_LABELS: Record<Import["skips"][number]["reason"], string> = {
  pending: "Pending",
  declined: "Declined or cancelled",
  information: "For information",
  expected: "Expected",
  total: "Total or balance",
  non_monetary: "No money moved",
  unsupported: "Not supported",
  status: "Not booked",
};

type Status = Import["status"];

const STATUSES: Record<Status, { label: string; icon: LucideIcon; tone: Tone }> = {
  queued: { label: "Waiting", icon: Clock, tone: "info" },
  reading: { label: "Importing", icon: LoaderCircle, tone: "info" },
  done: { label: "Imported", icon: CircleCheck, tone: "good" },
  failed: { label: "Failed", icon: CircleX, tone: "danger" },
  undoing: { label: "Undoing", icon: Undo2, tone: "info" },
  undone: { label: "Undone", icon: Undo2, tone: "neutral" },
};

const CANCELLED = { label: "Cancelled", icon: Ban, tone: "neutral" } as const;

const WITH_WARNINGS = {
  label: "Imported with warnings",
  icon: TriangleAlert,
  tone: "warning",
} as const;

/**
 * An import's status. An import undone before it ended was cancelled, and one with warnings isn't
 * just done.
 */
export function ImportBadge({
  imported: { status, finished_at, undone_at, warnings },
}: {
  imported: Pick<Import, "status" | "finished_at" | "undone_at" | "warnings">;
}) {
  const isCancelled = status === "undone" && finished_at === undone_at;
  const hasWarnings = status === "done" && warnings.length > 0;
  const { label, icon, tone } = isCancelled
    ? CANCELLED
    : hasWarnings
      ? WITH_WARNINGS
      : STATUSES[status];
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}
