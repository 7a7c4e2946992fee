import type { Context } from "./context.ts";

/** Sets the version of the resource in the response, from which the pipeline makes the `ETag`. */
export function tagged<Answer extends object>(
  ctx: Context,
  stored: Answer & { version?: number },
): Answer {
  ctx.version = stored.version ?? null;
  return stored;
}
