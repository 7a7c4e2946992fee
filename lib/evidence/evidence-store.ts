import { createClient } from "@supabase/supabase-js";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";
import { ApiError } from "../wire/errors.ts";

const PART_BYTES = 768 * 1024;
/** A file of 10 MiB takes seconds over a slow connection. */
const TIMEOUT_MS = 60_000;

/** The content as add_evidence expects it: the text itself, or the bucket that has it. */
export type Stored = { content: string } | { bucket: string };

/** Stores the contents of evidence. */
export type EvidenceStore = {
  store(ctx: Context, id: string, content: Buffer): Promise<Stored>;
  read(ctx: Context, id: string, bytes: number): AsyncGenerator<Uint8Array>;
  remove(ctx: Context, id: string): Promise<void>;
};

/** The store of new files: the bucket of EVIDENCE_BUCKET, or else the database. */
export function currentStore(): EvidenceStore {
  return storeOf(env().EVIDENCE_BUCKET ?? null);
}

/** The store that contains a file, which may differ from the store of new ones. */
export function storeOf(bucket: string | null): EvidenceStore {
  return bucket === null ? inDatabase : inBucket(bucket);
}

/** The database functions that write and delete the file's row do the same with its content. */
const inDatabase: EvidenceStore = {
  store: async (_ctx, _id, content) => ({ content: content.toString("base64") }),
  async *read(ctx, id, bytes) {
    for (let start = 0; start < bytes; start += PART_BYTES) {
      const { part } = await read<{ part: string | null }>(ctx, "read_evidence_part", {
        id,
        start,
        size: PART_BYTES,
      });
      if (part === null) throw new Error(`The content of ${id} is missing.`);
      yield Buffer.from(part, "base64");
    }
  },
  remove: async () => {},
};

function inBucket(bucket: string): EvidenceStore {
  const files = () => storage().storage.from(bucket);
  const pathOf = (ctx: Context, id: string) => `${ctx.tenantId}/${id}`;
  return {
    async store(ctx, id, content) {
      const { error } = await files().upload(pathOf(ctx, id), content, {
        contentType: "application/octet-stream",
      });
      if (error) throw unavailable(error);
      return { bucket };
    },
    async *read(ctx, id) {
      const { data, error } = await files().download(pathOf(ctx, id));
      if (error) throw unavailable(error);
      yield* data.stream();
    },
    async remove(ctx, id) {
      const { error } = await files().remove([pathOf(ctx, id)]);
      if (error) throw unavailable(error);
    },
  };
}

const storage = () =>
  singleton("storage", () =>
    createClient(env().SUPABASE_URL, env().SUPABASE_SECRET_KEY, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: {
        fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
      },
    }),
  );

function unavailable(cause: Error): ApiError {
  return new ApiError(
    "unavailable",
    "The file store does not answer. Try again, or tell your operator if it stays away.",
    { cause },
  );
}
