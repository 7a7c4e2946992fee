import { createHash } from "node:crypto";
import type { Context } from "./context.ts";

/**
 * Binds the idempotency key to an upload's content and options: a key is used for one file, read
 * one way.
 */
export function bindIdempotency(ctx: Context, ...parts: unknown[]): Context {
  if (!ctx.idempotency) return ctx;
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([ctx.idempotency.fingerprint, ...parts]))
    .digest("hex");
  return { ...ctx, idempotency: { ...ctx.idempotency, fingerprint } };
}
