import { once } from "node:events";
import type { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { SQLSTATES } from "#lib/db/sqlstates.ts";
import type { Format, Mapping } from "#lib/imports/formats/mapping.ts";
import { type Lines, readLines } from "#lib/imports/formats/read-lines.ts";
import { FileRefused, type Refusal } from "#lib/imports/formats/refusal.ts";
import {
  describeRefusal,
  MAX_REPORTED_REFUSALS,
  NOTHING_STORED,
  outcomeOf,
} from "#lib/imports/outcome.ts";
import { traced } from "#lib/runtime/trace.ts";
import { refreshStatistics } from "../runs/statement-timeout.ts";
import { type ImportKey, importChunks } from "./import-chunks.ts";
import { STAGED_COLUMNS, stagedRow } from "./staged-rows.ts";

const REPORT_INTERVAL_MS = 1_000;
const COPY = `copy pg_temp.staged_lines (${STAGED_COLUMNS.join(", ")}) from stdin`;
/** Enough for the sorts and hashes of a million lines. */
const SET_WORK_MEM = "set local work_mem = '96MB'";

type ClaimedImport = {
  format: Format;
  mapping: Mapping | null;
  currency: string;
  time_zone: string;
  source_no: number;
  bytes_total: number;
};

/** Thrown if the import was undone while it was read. */
export class ImportUndone extends Error {}

/**
 * Reads an import's file and stores its lines, in one transaction of `main`; `side` reports
 * progress, and learns whether the import was undone in the meantime. Memory is constant: lines are
 * copied into a table of the session by COPY, at the pace of the database.
 * @throws FileRefused if the file cannot be read as a whole; ImportUndone; AbortError of `signal`.
 *   In these cases nothing is stored.
 */
export async function readImport(
  main: Client,
  side: Client,
  key: ImportKey,
  signal: AbortSignal | undefined,
): Promise<void> {
  const ids = [key.tenant_id, key.import_id];
  const { rows } = await side.query<{ claimed: ClaimedImport | null }>(
    "select private.claim_import($1, $2) as claimed",
    ids,
  );
  const claimed = rows[0]?.claimed;
  if (!claimed) return;
  await main.query("begin");
  try {
    await main.query(`${SET_WORK_MEM}; select private.stage_lines()`);
    const lines = readLines(importChunks(side, key), {
      format: claimed.format,
      currency: claimed.currency,
      time_zone: claimed.time_zone,
      ...(claimed.mapping && { mapping: claimed.mapping }),
    });
    const refusals = await traced(
      () => ({
        name: "read file",
        kind: "internal",
        attributes: { "tieout.import_id": key.import_id },
      }),
      () =>
        stage(main, lines, async () => {
          signal?.throwIfAborted();
          await reportProgress(side, key, lines);
        }),
      () => ({ failed: false, attributes: { "tieout.lines": lines.summary.line_count } }),
    );
    await reportProgress(side, key, lines);
    const outcome = {
      ...outcomeOf(lines.summary),
      nothing_stored: NOTHING_STORED,
      refusals: refusals.map(describeRefusal),
    };
    const finished = await traced(
      () => ({
        name: "finish_import",
        kind: "client",
        attributes: { "db.system.name": "postgresql", "tieout.import_id": key.import_id },
      }),
      () =>
        main.query<{ status: string }>("select private.finish_import($1, $2, $3) as status", [
          ...ids,
          outcome,
        ]),
    );
    if (finished.rows[0]?.status !== "done") throw new ImportUndone();
    await main.query("commit");
  } catch (error) {
    await main.query("rollback").catch(() => {});
    throw error;
  }
  await refreshStatistics(main, key.tenant_id);
}

/** @returns the first refusals */
async function stage(main: Client, lines: Lines, pause: () => Promise<void>): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  const copy = main.query(copyFrom(COPY));
  const failed = new Promise<never>((_, reject) => copy.once("error", reject));
  failed.catch(() => {});
  let position = 0;
  let reportedAt = performance.now();
  try {
    for await (const batch of lines) {
      refusals.push(...batch.refusals.slice(0, MAX_REPORTED_REFUSALS - refusals.length));
      let rows = "";
      for (const line of batch.lines) rows += stagedRow(line, position++);
      if (rows !== "" && !copy.write(rows)) await Promise.race([once(copy, "drain"), failed]);
      if (performance.now() - reportedAt < REPORT_INTERVAL_MS) continue;
      await pause();
      reportedAt = performance.now();
    }
    copy.end();
    await Promise.race([once(copy, "finish"), failed]);
    return refusals;
  } catch (error) {
    if (!copy.destroyed) {
      const closed = Promise.race([once(copy, "close"), once(main, "end")]);
      copy.destroy(error as Error);
      await closed.catch(() => {});
    }
    throw error;
  }
}

/** @throws ImportUndone */
async function reportProgress(
  side: Client,
  { tenant_id, import_id }: ImportKey,
  { summary }: Lines,
): Promise<void> {
  const progress = {
    bytes_read: summary.bytes_read,
    read_count: summary.line_count,
    refused_count: summary.refused_count,
  };
  const { rows } = await side.query<{ goes_on: boolean }>(
    "select private.report_import_progress($1, $2, $3) as goes_on",
    [tenant_id, import_id, progress],
  );
  if (!rows[0]?.goes_on) throw new ImportUndone();
}

/**
 * The failure of an import whose file cannot be read; undefined for an error on our side, which is
 * retried.
 */
export function failureOf(error: unknown): { failure: string; refusals: object[] } | undefined {
  if (error instanceof FileRefused)
    return { failure: error.message, refusals: [describeRefusal(error.refusal)] };
  const { code, detail } = error as { code?: string; detail?: string };
  if (code === SQLSTATES.refused && detail)
    return { failure: `${detail} Nothing of the file was kept.`, refusals: [] };
  if (code === SQLSTATES.diskFull) {
    return {
      failure:
        "The database's disk is full. Nothing of the file was kept: make room, and send it again.",
      refusals: [],
    };
  }
  return undefined;
}
