import { Readable } from "node:stream";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { storeOf } from "./evidence-store.ts";

type Opened = { file_name: string; bytes: number; bucket: string | null };

/**
 * The original file, for a browser to save and never to render.
 * @throws ApiError `not_found`
 */
export async function getEvidenceContent(ctx: Context, id: string) {
  const { file_name, bytes, bucket } = await read<Opened>(ctx, "open_evidence_content", { id });
  const parts = storeOf(bucket).read({ ...ctx, continues: true }, id, bytes);
  const first = await parts.next();
  ctx.reply.set("Content-Security-Policy", "sandbox; default-src 'none'");
  ctx.reply.set("X-Content-Type-Options", "nosniff");
  return {
    body: Readable.toWeb(Readable.from(startingWith(first, parts))) as ReadableStream<Uint8Array>,
    name: file_name,
  };
}

/** The first part was read before the response began, to detect a store that doesn't answer. */
async function* startingWith(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
