/**
 * Inputs that users of other products reported, with the right outcome: one folder each below
 * `cases`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "cases");

/** The outcome of an import in expected.json. Omitted fields may have any value. */
export type Outcome = {
  status?: "refused";
  says?: string[];
  accepted?: number | number[];
  duplicates?: number | number[];
  refused?: number | number[];
  skipped?: number | number[];
  left_out?: number | number[];
  /** Each with its amount in minor units, one or several acceptable days, and currency. */
  lines?: LineFact[];
  /** Whether amounts are net of the fee. */
  net?: boolean;
  opening_balance_minor?: number | null;
  closing_balance_minor?: number | null;
  balance_holds?: boolean | null;
  statements?: number;
  statement_balances?: [number | null, number | null, boolean | null][];
  refusal_lines?: number[];
  refusals_say?: string[];
  with?: WithFact[];
  /** For `never`: lines that must not exist. */
  has?: LineFact[];
};
export type LineFact = [number, (string | string[] | null)?, string?];
export type WithFact = {
  amount_minor: number;
  counterparty?: string;
  reference?: string;
  booked_date?: string;
  contains?: string | string[];
  description_contains?: string | string[];
};

export type ImportFile = {
  file: string;
  format?: string;
  right: Outcome;
  ask?: true | "only";
  about?: string[];
  tolerable?: Outcome[];
  never?: Outcome[];
};
export type ImportCheck = {
  into: { currency: string; kind?: string; mapping?: object };
  files: ImportFile[];
};
export type MatchCheck = {
  name?: string;
  into: { currency: string; period: [string, string]; automatic: string };
  history?: [string, string];
  left: string[];
  right: string[];
  named_by?: string;
  imports?: { accepted: number; duplicates: number }[];
  without?: string[];
  pairs?: [string, string][];
  suggested?: [string, string][];
  confirmed?: [string, string][];
  never_confirmed?: [string, string][];
  open?: string[];
};

type Case<Check> = { id: string; title: string; checks: Check[] };

/** The cases of one kind, in order. */
export function casesOf<Check>(kind: string): Case<Check>[] {
  return readdirSync(FOLDER)
    .sort()
    .map((id) => JSON.parse(fileOf(id, "expected.json").toString()))
    .filter((item) => item.kind === kind);
}

export function fileOf(id: string, name: string): Buffer<ArrayBuffer> {
  return readFileSync(join(FOLDER, id, name));
}
