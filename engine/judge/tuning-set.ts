/** The tuning half of a public dataset of bank transfers; see data/bank-transfers/README.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import type { Rule } from "../rules.ts";
import type { Dataset, DatasetLine } from "./datasets/dataset.ts";
import { Random } from "./datasets/random.ts";
import { garble } from "./datasets/texts.ts";

const FOLDER = join(import.meta.dirname, "data/bank-transfers");
const DAY_MS = 86_400_000;

/** The rule by which the dataset is judged. It allows residuals. */
export const TRANSFER_RULES: readonly Rule[] = [
  {
    name: "Evidence",
    kind: "score",
    days_before: 0,
    days_after: 25,
    amount_tolerance_bps: 1500,
    residual: "keep",
    then: "match",
  },
];

export function bankTransfers(): Dataset {
  return {
    name: "bank transfers",
    left: read("left").map(lineOf),
    right: read("right").map(lineOf),
    truth: read("truth").map(({ left = "", right = "" }) => ({
      kind: "transfer",
      left: [left],
      right: [right],
    })),
  };
}

/** Removes a random share of the lines of each side, and limits the truth to the others. */
export function dropLines(dataset: Dataset, share: number, seed: number): Dataset {
  const random = new Random(seed);
  const left = dataset.left.filter(() => random.next() >= share);
  const right = dataset.right.filter(() => random.next() >= share);
  return { ...dataset, left, right, truth: truthAmong(dataset, left, right) };
}

/**
 * One of two random halves of the transfers, so that a rule tuned on one half is tested on the
 * other.
 */
export function randomHalf(dataset: Dataset, which: 0 | 1, seed: number): Dataset {
  const random = new Random(seed);
  const truth = dataset.truth.filter(() => random.chance(0.5) === (which === 0));
  const lefts = new Set(truth.flatMap(({ left }) => left));
  const rights = new Set(truth.flatMap(({ right }) => right));
  return {
    ...dataset,
    left: dataset.left.filter(({ identity }) => lefts.has(identity)),
    right: dataset.right.filter(({ identity }) => rights.has(identity)),
    truth,
  };
}

/** Changes all amounts and days and garbles every fifth memo, to detect overfitting to the data. */
export function perturb(dataset: Dataset, seed: number): Dataset {
  const random = new Random(seed);
  const factor = 0.5 + random.next();
  const change = (line: DatasetLine): DatasetLine => ({
    ...line,
    amount_minor: Math.max(1, Math.round(line.amount_minor * factor)),
    value_date: line.value_date + 100,
    description: random.chance(0.2) ? garble(random, line.description ?? "") : line.description,
  });
  return { ...dataset, left: dataset.left.map(change), right: dataset.right.map(change) };
}

function truthAmong(dataset: Dataset, left: readonly DatasetLine[], right: readonly DatasetLine[]) {
  const identities = new Set([...left, ...right].map(({ identity }) => identity));
  return dataset.truth.filter((match) =>
    [...match.left, ...match.right].every((identity) => identities.has(identity)),
  );
}

function read(name: string): Record<string, string>[] {
  return parse(gunzipSync(readFileSync(join(FOLDER, `${name}.csv.gz`))), { columns: true });
}

function lineOf({
  id = "",
  date = "",
  amount = "",
  memo = "",
}: Record<string, string>): DatasetLine {
  const [units = "0", cents = ""] = amount.split(".");
  return {
    identity: id,
    amount_minor: Number(units) * 100 + Number(cents.padEnd(2, "0")),
    currency: "GBP",
    value_date: Date.parse(date) / DAY_MS,
    description: memo,
  };
}
