import type { Client } from "pg";
import { combinationHashOf } from "../../../engine/content-hash.ts";
import { type Line, Lines } from "../../../engine/lines.ts";
import { Names } from "../../../engine/names.ts";
import { call } from "./call.ts";
import { requireCapacity } from "./capacity.ts";
import type { ClaimedRun } from "./claimed-run.ts";
import { copyRows } from "./copy-rows.ts";
import { type Fees, readFees } from "./fees.ts";

/** A match of an earlier run, which this run keeps, replaces or removes. */
export type EarlierMatch = {
  id: string;
  state: "confirmed" | "suggested";
  method: string;
  score: number;
  currency: string;
  amount_minor: number;
  hash: string;
  lines: number[];
  allocated: number[];
};

export type RunInput = {
  left: Lines;
  right: Lines;
  present: EarlierMatch[];
  rejected: Set<string>;
  ids: Map<number, string> | null;
  fees: Fees;
};

/** How many lines are read between two checks of the memory that they need. */
const LINES_PER_CHECK = 10_000;

/** `held_lines`: lines that only a full run may match. */
export type NewsInput = Omit<RunInput, "ids"> & { held_lines: Set<number> };

/** `change_nos`: the changes that the new lines came with. */
export type ShortRunInput = NewsInput & { new_lines: Set<number>; change_nos: number[] };

/** Reads a full run's input in one snapshot (runs/run_reading.sql). */
export function readRun(client: Client, run: ClaimedRun): Promise<RunInput> {
  return inSnapshot(client, async () => {
    const [counts] = await call<{ left_lines: string; right_lines: string }>(client, "load_run", {
      tenant: run.tenantId,
      reconciliation: run.reconciliationId,
      pair: run.pairNo,
      period_end: run.periodEnd,
      is_closed: run.closed,
      whole: run.whole,
      deducts_fees: run.policy.fees === "deduct",
    });
    const left = Number(counts?.left_lines);
    const right = Number(counts?.right_lines);
    requireCapacity(left + right, 0);
    const fees = await readFees(client);
    const ids = run.dryRun ? new Map<number, string>() : null;
    const input = { left: new Lines("left", left), right: new Lines("right", right), ids, fees };
    await readLines(client, run, input, left + right);
    const present = await readPresent(client);
    const rejected = await readRejected(client, run);
    if (!run.dryRun)
      await call(client, "forget_read_changes", {
        tenant: run.tenantId,
        reconciliation: run.reconciliationId,
      });
    return { ...input, present, rejected };
  });
}

/**
 * Reads the lines that a short run weighs (runs/short_runs.sql).
 * @returns null if there are too many for a short run
 */
export function readShortRun(
  client: Client,
  run: ClaimedRun,
  maxLines: number,
): Promise<ShortRunInput | null> {
  return inSnapshot(client, async () => {
    const [counts] = await call<
      { [Side in "left_lines" | "right_lines"]: string | null } & { change_nos: string[] | null }
    >(client, "load_short_run", {
      tenant: run.tenantId,
      reconciliation: run.reconciliationId,
      most: maxLines,
    });
    if (!counts?.left_lines || !counts.right_lines) return null;
    const input = await readLoadedLines(client, run, counts.left_lines, counts.right_lines);
    const new_lines = await lineNumbers(client, "new_lines");
    return { ...input, new_lines, change_nos: (counts.change_nos ?? []).map(Number) };
  });
}

/**
 * Reads what a run with news weighs new lines with (runs/estimates.sql).
 * @param changeNos the changes that the new lines came with: later ones are left to another run
 * @param matched lines that were just matched, perhaps after the snapshot that is read
 */
export function readNews(
  client: Client,
  run: ClaimedRun,
  changeNos: readonly number[],
  matched: ReadonlySet<number>,
): Promise<NewsInput> {
  return inSnapshot(client, async () => {
    const [counts] = await call<{ left_lines: string; right_lines: string }>(client, "load_news", {
      tenant: run.tenantId,
      reconciliation: run.reconciliationId,
      change_nos: changeNos,
    });
    return readLoadedLines(
      client,
      run,
      counts?.left_lines as string,
      counts?.right_lines as string,
      matched,
    );
  });
}

async function readLoadedLines(
  client: Client,
  run: ClaimedRun,
  leftLines: string,
  rightLines: string,
  leftOut?: ReadonlySet<number>,
): Promise<NewsInput> {
  const [left, right] = [Number(leftLines), Number(rightLines)];
  requireCapacity(left + right, 0);
  const input = {
    left: new Lines("left", left),
    right: new Lines("right", right),
    ids: null,
    fees: new Map(),
  };
  await readLines(client, run, input, left + right, leftOut);
  const present = await readPresent(client);
  const rejected = await readRejected(client, run);
  const held_lines = await lineNumbers(client, "held_lines");
  return { ...input, present, rejected, held_lines };
}

async function lineNumbers(client: Client, table: string): Promise<Set<number>> {
  const lines = new Set<number>();
  await copyRows(client, `select line_no from pg_temp.${table}`, (row) => {
    lines.add(row.integer());
  });
  return lines;
}

async function inSnapshot<Value>(client: Client, read: () => Promise<Value>): Promise<Value> {
  await client.query("begin isolation level repeatable read");
  try {
    const result = await read();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

type LinesToRead = Pick<RunInput, "left" | "right" | "ids" | "fees">;

async function readLines(
  client: Client,
  run: ClaimedRun,
  input: LinesToRead,
  lines: number,
  leftOut?: ReadonlySet<number>,
) {
  const names = new Names(run.weights?.names);
  let count = 0;
  await copyRows(
    client,
    `select is_left, line_no, id, minor, currency, value_date, booked_date, reference,
       counterparty, description, group_key
     from pg_temp.lines_to_weigh`,
    (row) => {
      if (++count % LINES_PER_CHECK === 0)
        requireCapacity(lines, input.left.textBytes + input.right.textBytes);
      const side = row.boolean() ? input.left : input.right;
      const handle = row.integer();
      const identity = row.bytes() as Buffer;
      input.ids?.set(handle, identity.toString("hex"));
      const line: Line = {
        handle,
        identity,
        amount_minor: row.integer() - (input.fees.get(handle) ?? 0),
        currency: row.text() as string,
        value_date: row.day() as number,
        booked_date: row.day(),
        reference: row.bytes(),
        counterparty: row.bytes(),
        description: row.bytes(),
        group_key: row.bytes(),
      };
      if (leftOut?.has(handle)) return;
      if (side === input.right) line.known_as = names.of(line);
      side.add(line);
    },
  );
}

async function readPresent(client: Client): Promise<EarlierMatch[]> {
  const present = new Map<string, EarlierMatch>();
  await copyRows(
    client,
    `select id, state = 'confirmed', convert_to(method, 'UTF8'), coalesce(score, 0), currency,
       amount_minor, hash_high, hash_low,
       line_no, allocated_minor
     from pg_temp.matches_made`,
    (row) => {
      const id = (row.bytes() as Buffer).toString("hex");
      const state = row.boolean() ? "confirmed" : "suggested";
      const method = (row.bytes() as Buffer).toString("utf8");
      const score = row.real();
      const currency = row.text() as string;
      const amount_minor = row.integer();
      const hash =
        (row.bytes() as Buffer).toString("hex") + (row.bytes() as Buffer).toString("hex");
      let match = present.get(id);
      if (!match) {
        match = {
          id: formatUuid(id),
          state,
          method,
          score,
          currency,
          amount_minor,
          hash,
          lines: [],
          allocated: [],
        };
        present.set(id, match);
      }
      match.lines.push(row.integer());
      match.allocated.push(row.integer());
    },
  );
  return [...present.values()];
}

/** The combinations of lines that people rejected or undid. */
async function readRejected(client: Client, run: ClaimedRun): Promise<Set<string>> {
  const combinations = await call<{ left_ids: string[] | null; right_ids: string[] | null }>(
    client,
    "refused_combinations",
    {
      tenant: run.tenantId,
      pair: run.pairNo,
    },
  );
  const bytes = (ids: string[] | null) =>
    (ids ?? []).map((id) => Buffer.from(id.replaceAll("-", ""), "hex"));
  return new Set(
    combinations.map(({ left_ids, right_ids }) =>
      combinationHashOf(bytes(left_ids), bytes(right_ids)),
    ),
  );
}

/** 32 hexadecimal digits as Postgres writes a uuid. */
export function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
