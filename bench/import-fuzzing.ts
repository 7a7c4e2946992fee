/**
 * Corrupts valid files, and checks whether a reader notices. Used by `fuzz-imports.ts` and, for a
 * few hundred files a format, by a unit test.
 *
 * A valid file is made of random lines, with the totals that its format has. Then bytes are
 * flipped, set, cut, doubled, swapped, or joined with those of another file. Errors of the reader
 * are listed under three names:
 * - `unsound`: only FileRefused may be thrown, nothing may hang, every line must be well-formed;
 * - `misread`: every amount must occur in the file, literally;
 * - `verified_wrong`: if the reader says that a statement's totals hold, its lines must be those of
 *   a valid statement. Numbers that were altered so that they add up again are `compensated`,
 *   because no reader can see that.
 * Without totals (CSV, NDJSON, JSON, OFX, which has no opening balance), a digit that was changed
 * to another is undetectable by nature: those lines are counted (`altered`), by an amount that each
 * line also carries in its identifier or reference.
 */
import { detect } from "#lib/imports/formats/detect.ts";
import type { ImportLine, StatementSummary, Summary } from "#lib/imports/formats/line.ts";
import type { Format } from "#lib/imports/formats/mapping.ts";
import { type ReadOptions, readLines } from "#lib/imports/formats/read-lines.ts";
import { FileRefused } from "#lib/imports/formats/refusal.ts";
import { type Figures, makeFile } from "./import-files.ts";
import { type Random, randomOf } from "./random.ts";

export type Outcome = {
  files: number;
  /** Files refused as a whole, files with refused lines or wrong totals, and all others. */
  file_refused: number;
  flagged: number;
  clean: number;
  lines: number;
  altered: number;
  unsound: string[];
  misread: string[];
  verified_wrong: string[];
  compensated: string[];
  slowest_ms: number;
};

const SLOW_MS = 2_000;

/** Reads `runs` files of the format, each with its own seed, and reports the outcome. */
export async function fuzz(format: Format, runs: number, seed: number): Promise<Outcome> {
  const outcome: Outcome = {
    files: 0,
    file_refused: 0,
    flagged: 0,
    clean: 0,
    lines: 0,
    altered: 0,
    unsound: [],
    misread: [],
    verified_wrong: [],
    compensated: [],
    slowest_ms: 0,
  };
  for (let run = 0; run < runs; run++) await fuzzOne(format, seed + run * 7_919, outcome);
  return outcome;
}

export async function fuzzOne(format: Format, seed: number, outcome: Outcome): Promise<void> {
  const random = randomOf(seed);
  const sample = makeFile(format, random);
  const other = makeFile(format, random);
  const bytes = mutate(sample.bytes, other.bytes, random);
  const startedAt = process.threadCpuUsage();
  const result = await readAll(bytes, { format, ...sample.options }, random);
  const { user, system } = process.threadCpuUsage(startedAt);
  const ms = (user + system) / 1000;
  outcome.files++;
  outcome.slowest_ms = Math.max(outcome.slowest_ms, Math.round(ms));
  const report = (list: string[], what: string) =>
    list.length < 20 && list.push(`seed ${seed}: ${what}`);
  if (ms > SLOW_MS) report(outcome.unsound, `took ${Math.round(ms)} ms`);
  if (result.error)
    return void report(
      outcome.unsound,
      String(result.error instanceof Error ? result.error.stack : result.error),
    );
  for (const fault of faultsOf(result.lines, result.summary)) report(outcome.unsound, fault);
  const text = new TextDecoder("utf-8").decode(bytes);
  const written = sample.literals(text);
  for (const line of result.lines) {
    if (!written.has(Math.abs(line.amount_minor)))
      report(outcome.misread, `${line.amount_minor} is not in the file`);
  }
  if (result.refused) {
    outcome.file_refused++;
    return;
  }
  const { summary } = result;
  if (
    summary.refused_count > 0 ||
    summary.balance_holds === false ||
    summary.control_totals_hold === false
  ) {
    outcome.flagged++;
    return;
  }
  outcome.clean++;
  outcome.lines += result.lines.length;
  if (sample.statements.length === 0) {
    outcome.altered += result.lines.filter((line) => isAltered(line)).length;
    return;
  }
  checkVerified(result, [...sample.statements, ...other.statements], written, outcome, report);
}

type Result = { lines: ImportLine[]; summary: Summary; refused: boolean; error?: unknown };

async function readAll(bytes: Uint8Array, options: ReadOptions, random: Random): Promise<Result> {
  const size = [1, 7, 100][random(30)] ?? 100_000;
  const reading = readLines(
    (async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
    options,
  );
  const lines: ImportLine[] = [];
  try {
    if (random(5) === 0) detectAnything(bytes);
    for await (const batch of reading) lines.push(...batch.lines);
  } catch (error) {
    return {
      lines,
      summary: reading.summary,
      refused: true,
      error: error instanceof FileRefused ? undefined : error,
    };
  }
  return { lines, summary: reading.summary, refused: false };
}

function detectAnything(bytes: Uint8Array): void {
  try {
    detect(bytes);
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
  }
}

/** Reports lines that break a rule which holds for every line of every file. */
function* faultsOf(lines: ImportLine[], summary: Summary): Generator<string> {
  if (summary.line_count !== lines.length)
    yield `${summary.line_count} lines counted, ${lines.length} given`;
  for (const line of lines) {
    if (!Number.isSafeInteger(line.amount_minor) || Object.is(line.amount_minor, -0))
      yield `amount ${line.amount_minor}`;
    if (!/^\d{4}-\d\d-\d\d$/.test(line.value_date) || Number.isNaN(Date.parse(line.value_date)))
      yield `date ${line.value_date}`;
    if (!/^[A-Z]{3}$/.test(line.currency)) yield `currency ${line.currency}`;
    const text = JSON.stringify(line);
    if (
      /\\u0000|\uFFFD/.test(text) ||
      !text.isWellFormed() ||
      /\\ud[89a-f]/i.test(text.replaceAll("\\\\", ""))
    )
      yield `text ${text.slice(0, 200)}`;
    if (text.length > 20_000) yield `a line of ${text.length} characters`;
    if (!(line.position.line >= 1)) yield `position ${line.position.line}`;
  }
}

/** Whether a line's amount differs from the one at the end of its identifier or reference. */
function isAltered(line: ImportLine): boolean {
  const carried = /A(-?\d+)$/.exec(line.external_id ?? line.reference ?? "")?.[1];
  return carried !== undefined && Number(carried) !== line.amount_minor;
}

function checkVerified(
  result: Result,
  sound: Figures[],
  written: Set<number>,
  outcome: Outcome,
  report: (list: string[], what: string) => void,
): void {
  const shape = (amounts: number[]) => amounts.toSorted((left, right) => left - right).join(" ");
  const known = new Set(sound.map(({ amounts }) => shape(amounts)));
  const unsigned = (amounts: number[]) => shape(amounts.map(Math.abs));
  const knownUnsigned = new Set(sound.map(({ amounts }) => unsigned(amounts)));
  let from = 0;
  for (const statement of result.summary.statements) {
    const amounts = result.lines
      .slice(from, from + statement.line_count)
      .map((line) => line.amount_minor);
    from += statement.line_count;
    const isVerified = statement.balance_holds === true || statement.control_totals_hold === true;
    if (known.has(shape(amounts)) || (amounts.length === 0 && isVerified)) continue;
    const what = `${shape(amounts)} of ${statement.opening_balance_minor} to ${statement.closing_balance_minor}`;
    // Control totals count amounts without their signs: without a balance, a debit that became a
    // credit is undetectable.
    if (!isVerified || (statement.balance_holds !== true && knownUnsigned.has(unsigned(amounts)))) {
      outcome.altered++;
      continue;
    }
    report(
      addsUp(statement, amounts, written) ? outcome.compensated : outcome.verified_wrong,
      what,
    );
  }
}

/**
 * Whether the file adds up: its balances with these lines, or its sums of credits and of debits.
 * Then several numbers were altered consistently, which no reader can detect.
 */
function addsUp(
  { opening_balance_minor: opening, closing_balance_minor: closing }: StatementSummary,
  amounts: number[],
  written: Set<number>,
): boolean {
  const sum = (values: number[]) => values.reduce((total, amount) => total + amount, 0);
  if (opening !== null && closing !== null)
    return (
      opening + sum(amounts) === closing &&
      written.has(Math.abs(opening)) &&
      written.has(Math.abs(closing))
    );
  const sides = [amounts.filter((amount) => amount > 0), amounts.filter((amount) => amount < 0)];
  return sides.every((side) => side.length === 0 || written.has(Math.abs(sum(side))));
}

/** One to four faults, of the kinds that disks, lines, editors and careless programs make. */
function mutate(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let mutated: Uint8Array = bytes;
  for (let left = 1 + random(4); left > 0; left--) mutated = mutateOnce(mutated, other, random);
  return mutated;
}

const SPECIAL_BYTES = [
  0, 9, 10, 13, 32, 34, 39, 43, 44, 45, 46, 47, 48, 57, 58, 59, 60, 62, 63, 67, 68, 92, 123, 125,
  128, 195, 255,
];

function mutateOnce(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  if (bytes.length < 4) return bytes;
  const at = random(bytes.length);
  const length = 1 + random(random(4) === 0 ? bytes.length - at : Math.min(60, bytes.length - at));
  const block = bytes.subarray(at, at + length);
  const put = (with_: Uint8Array, instead: number) =>
    Buffer.concat([bytes.subarray(0, at), with_, bytes.subarray(at + instead)]);
  switch (random(11)) {
    case 0:
      return put(Uint8Array.of((bytes[at] ?? 0) ^ (1 << random(8))), 1);
    case 1:
      return put(Uint8Array.of(random(256)), 1);
    case 2:
      return put(Uint8Array.of(SPECIAL_BYTES[random(SPECIAL_BYTES.length)] ?? 0), random(2));
    case 3:
    case 4: {
      const digits = [...bytes.keys()].filter(
        (index) => (bytes[index] ?? 0) >= 48 && (bytes[index] ?? 0) <= 57,
      );
      const index = digits[random(digits.length)] ?? at;
      return Buffer.concat([
        bytes.subarray(0, index),
        Uint8Array.of(48 + random(10)),
        bytes.subarray(index + 1),
      ]);
    }
    case 5:
      return put(new Uint8Array(0), length);
    case 6:
      return bytes.subarray(0, at + 1);
    case 7:
      return put(Buffer.concat([block, block]), length);
    case 8: {
      const to = random(bytes.length);
      return Buffer.concat([bytes.subarray(0, to), block, bytes.subarray(to)]);
    }
    case 9:
      return Buffer.concat([bytes.subarray(0, at), other.subarray(random(other.length))]);
    default:
      return Buffer.concat([bytes, other]);
  }
}
