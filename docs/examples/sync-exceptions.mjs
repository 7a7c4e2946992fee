// Keeps a copy of all exceptions, as a warehouse would: an export first, then what changes.
//
//   TIEOUT_URL=https://… TIEOUT_TENANT=acme TIEOUT_TOKEN=… node sync-exceptions.mjs copy.json
//
// With `once` behind the file it ends when there is nothing new; else it goes on for ever.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const { TIEOUT_URL, TIEOUT_TENANT, TIEOUT_TOKEN } = process.env;
const [file, once] = process.argv.slice(2);

const CATCH_UP_EVERY_MS = 3_600_000;
/** Longer than any change takes to commit: updated_at is the time at which it began. */
const OVERLAP_MS = 600_000;
const TYPES = [
  "exception.created",
  "exception.updated",
  "exception.resolved",
  "exception.paused",
  "exception.resumed",
].join(",");

async function get(path, query) {
  const response = await fetch(`${TIEOUT_URL}${path}?${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${TIEOUT_TOKEN}`, "X-Tenant-Id": TIEOUT_TENANT },
    signal: AbortSignal.timeout(60_000),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.text();
}

/** The place in the events comes first: what changes during the export is read again after it. */
async function start() {
  const since = new Date().toISOString();
  const { resume_cursor, as_of } = JSON.parse(await get("/v1/events", { types: TYPES, since }));
  const text = await get("/v1/exceptions/export", { format: "ndjson", end_mark: "true" });
  const lines = text.trimEnd().split("\n");
  if (!lines.pop().startsWith('{"$end":')) throw new Error("The export was cut. Start again.");
  const copy = { rows: {}, cursor: resume_cursor, caughtUp: as_of };
  for (const line of lines) keep(copy, JSON.parse(line));
  return copy;
}

/** A state that is older than what the copy has changes nothing. */
function keep({ rows }, exception) {
  const known = rows[exception.id];
  if (!known || known.updated_at <= exception.updated_at) rows[exception.id] = exception;
}

/** Reads the next events. Each has the exception as it was after the change. */
async function follow(copy) {
  const query = { types: TYPES, cursor: copy.cursor, wait: once ? 0 : 20 };
  const { items, next_cursor, resume_cursor, as_of } = JSON.parse(await get("/v1/events", query));
  for (const { data } of items) keep(copy, data.exception);
  copy.cursor = resume_cursor;
  return { more: next_cursor !== null, asOf: as_of };
}

/**
 * Changes that send no event, such as a deadline that moved with its calendar. `asOf` is a time of
 * the server: this machine's clock may be wrong.
 */
async function catchUp(copy, asOf) {
  const updated_since = new Date(Date.parse(copy.caughtUp) - OVERLAP_MS).toISOString();
  for (let cursor = ""; cursor !== null; ) {
    const query = { updated_since, limit: "250", ...(cursor && { cursor }) };
    const page = JSON.parse(await get("/v1/exceptions", query));
    for (const exception of page.items) keep(copy, exception);
    cursor = page.next_cursor;
  }
  copy.caughtUp = asOf;
}

/** Rows and place together, so that a crash between them loses nothing. */
function save(copy) {
  writeFileSync(`${file}.new`, JSON.stringify(copy));
  renameSync(`${file}.new`, file);
}

const copy = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : await start();
for (let lastCatchUp = 0, more = true; more || !once; ) {
  const read = await follow(copy);
  more = read.more;
  if (!more && Date.now() - lastCatchUp > CATCH_UP_EVERY_MS) {
    await catchUp(copy, read.asOf);
    lastCatchUp = Date.now();
  }
  save(copy);
}
console.log(`${Object.keys(copy.rows).length} exceptions`);
