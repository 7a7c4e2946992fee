import { expect } from "vitest";
import { openFile } from "../../opened-file.ts";
import { settleMapping } from "../../settle-mapping.ts";
import type { Mapping } from "../mapping.ts";
import { readLines } from "../read-lines.ts";

export type Outcome = {
  /** The amount less the fee, the day and, if it isn't the source's, the currency. */
  lines?: string[];
  skipped?: string[];
  refused?: number[];
  asks?: string;
  warns?: RegExp;
  balance?: boolean;
};

export async function imported(text: string, currency: string, given: Partial<Mapping> = {}) {
  const stream = new Blob([text]).stream();
  const hint = { fileName: "a.csv", contentType: "text/csv" };
  const file = await openFile(stream, hint, new Headers());
  const saved = Object.keys(given).length > 0 ? { fields: {}, ...given } : null;
  const { mapping, questions } = await settleMapping(file, saved, currency);
  if (questions[0]) return { question: questions[0], mapping };
  const reading = readLines(file.bytes, {
    format: file.format,
    currency,
    ...(mapping && { mapping }),
  });
  const lines: string[] = [];
  const refused: number[] = [];
  for await (const batch of reading) {
    for (const line of batch.lines) {
      const amount = line.amount_minor - (line.fee_minor ?? 0);
      const named = line.currency === currency ? "" : ` ${line.currency}`;
      lines.push(`${line.value_date.slice(5)} ${amount}${named}`);
    }
    refused.push(...batch.refusals.map(({ line }) => line));
  }
  return { lines, refused, summary: reading.summary, mapping };
}

/** Reads a file as the preview and the import do, and compares the results. */
export async function expectOutcome(
  text: string,
  currency: string,
  outcome: Outcome,
  given?: Mapping,
) {
  const result = await imported(text, currency, given);
  if (outcome.asks !== undefined) {
    expect(result.question?.about).toBe(outcome.asks);
    expect(result.question?.choices.length).toBeGreaterThan(1);
    const shown = result.question?.choices.map(({ reads_as }) => reads_as);
    expect(new Set(shown).size).toBe(shown?.length);
    return;
  }
  expect(result.question).toBeUndefined();
  expect(result.lines).toEqual(outcome.lines ?? []);
  expect(result.refused).toEqual(outcome.refused ?? []);
  expect(result.summary?.skips.map(({ reason }) => reason)).toEqual(outcome.skipped ?? []);
  const warned = result.summary?.warnings.map(({ message }) => message).join("\n") ?? "";
  if (outcome.warns) expect(warned).toMatch(outcome.warns);
  else expect(warned).toBe("");
  if (outcome.balance !== undefined) expect(result.summary?.balance_holds).toBe(outcome.balance);
}

export const rows = (...lines: string[]) => `${lines.join("\n")}\n`;
