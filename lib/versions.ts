import type { Context } from "./context.ts";

/** Gives the answer the entity tag of the state that it shows. */
export function tagAnswer({ reply }: Context, version: number): void {
  reply.set("ETag", `"${version}"`);
}

/** The versions that `If-Match` allows, null where any will do; a tag that is none of ours matches nothing. */
export function allowedVersions({ ifMatch }: Context): number[] | null {
  return ifMatch?.filter((tag) => /^[1-9]\d{0,14}$/.test(tag)).map(Number) ?? null;
}
