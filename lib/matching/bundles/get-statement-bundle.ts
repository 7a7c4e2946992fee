import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeZip } from "client-zip";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { env } from "../../runtime/env.ts";
import { periodFileName } from "../../wire/period-name.ts";
import type { Signature } from "../periods/contract.ts";

const PAGE_ROWS = 2_000;
/** The audit log is signed every 10 s. */
const CHECKPOINT_TIMEOUT_MS = 20_000;
const CHECKPOINT_PAUSE_MS = 500;
/** A separate file, so that an auditor can read it. */
const VERIFIER = join(process.cwd(), "lib/matching/bundles/verify.mjs");

/**
 * The texts that the digest covers after the statement, in this order, then the evidence and the
 * ledger entries, whose hashes are in the statement. Each line of a file is one text as JSON.
 */
const KINDS = ["matches", "members", "exclusions", "carried", "evidence", "entries"] as const;

type Opened = {
  /** The text that the digest covers. */
  statement: string;
  signature: Signature;
  closed_ms_ago: number;
  rules: object | null;
  engine_versions: string[];
  audit: Slice | null;
};
/** `through`: the last event that a checkpoint covers. */
type Slice = { from: number; through: number | null; checkpoints: object[] };
type File = { name: string; input: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> };

/**
 * The bundle of a signed statement as a zip that is written while its data is read. At most one
 * page is in memory.
 * @throws ApiError `not_found`, `conflict`
 */
export async function getStatementBundle(ctx: Context, id: string, number: number) {
  const step = { ...ctx, continues: true };
  let opened = await read<Opened>(ctx, "open_statement_bundle", { id, number });
  // Right after a close, its event has no signed checkpoint yet, and the bundle would lack the log.
  // An older close without one is in a log that can't be signed, so waiting wouldn't help.
  const deadline = performance.now() + CHECKPOINT_TIMEOUT_MS - opened.closed_ms_ago;
  while (opened.audit && !isSigned(opened.audit) && performance.now() < deadline) {
    await sleep(CHECKPOINT_PAUSE_MS);
    opened = await read<Opened>(step, "open_statement_bundle", { id, number });
  }
  return {
    body: makeZip(filesOf(step, id, number, opened)),
    name: `${periodFileName("bundle", JSON.parse(opened.statement))}-${number}.zip`,
  };
}

function isSigned(slice: Slice): slice is Slice & { through: number } {
  return slice.through !== null && slice.through >= slice.from;
}

async function* filesOf(
  ctx: Context,
  id: string,
  number: number,
  { statement, signature, rules, engine_versions, audit }: Opened,
): AsyncGenerator<File> {
  const manifest = new Manifest();
  yield manifest.add("statement.json", statement);
  yield manifest.add("signature.json", json(signature));
  yield manifest.add("rules.json", json({ rules, engine_versions }));
  for (const kind of KINDS)
    yield manifest.stream(`${kind}.ndjson`, rowsOf(ctx, { id, number, kind }));
  if (audit && isSigned(audit)) {
    const { from, through, checkpoints } = audit;
    yield manifest.stream("audit.ndjson", eventsOf(ctx, from, through));
    const keys = env().AUDIT_PUBLIC_KEYS.map((key) => key.toString("base64"));
    yield manifest.add(
      "audit.json",
      json({ tenant: ctx.tenantId, from, through, checkpoints, public_keys: keys }),
    );
  }
  yield manifest.add("verify.mjs", await readFile(VERIFIER, "utf8"));
  yield { name: "manifest.json", input: bytesOf(json(manifest.files)) };
}

/** The size and SHA-256 of each file. */
class Manifest {
  readonly files: Record<string, { bytes: number; sha256: string }> = {};

  add(name: string, text: string): File {
    const input = bytesOf(text);
    this.files[name] = {
      bytes: input.length,
      sha256: createHash("sha256").update(input).digest("hex"),
    };
    return { name, input };
  }

  stream(name: string, lines: AsyncIterable<string>): File {
    const hash = createHash("sha256");
    let bytes = 0;
    const iterator = lines[Symbol.asyncIterator]();
    const input = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { value, done } = await iterator.next();
        if (done) {
          this.files[name] = { bytes, sha256: hash.digest("hex") };
          controller.close();
          return;
        }
        const chunk = bytesOf(value);
        bytes += chunk.length;
        hash.update(chunk);
        controller.enqueue(chunk);
      },
    });
    return { name, input };
  }
}

async function* rowsOf(
  ctx: Context,
  part: { id: string; number: number; kind: (typeof KINDS)[number] },
): AsyncGenerator<string> {
  let after: string | null = null;
  do {
    const page: { rows: string[]; next: string | null } = await read(ctx, "list_statement_bundle", {
      ...part,
      after,
      limit: PAGE_ROWS,
    });
    if (page.rows.length > 0) yield page.rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    after = page.next;
  } while (after !== null);
}

async function* eventsOf(ctx: Context, from: number, through: number): AsyncGenerator<string> {
  for (let after = from - 1; after < through; ) {
    const events: { seq: string }[] = await read(ctx, "list_bundle_events", {
      after,
      through,
      limit: PAGE_ROWS,
    });
    const last = events.at(-1);
    if (!last) return;
    yield events.map((event) => `${JSON.stringify(event)}\n`).join("");
    after = Number(last.seq);
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
