import type { Context } from "./context.ts";

/** Says which state of the resource the answer shows; the pipeline makes the `ETag` of it. */
export function tagged<Answer extends object>(ctx: Context, stored: Answer & { version?: number }): Answer {
  ctx.version = stored.version ?? null;
  return stored;
}
