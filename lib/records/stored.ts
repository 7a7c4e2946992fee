import { z } from "zod";
import type { Context } from "../context.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";

type Stored = { version: number; record: StoredRecord };

/** A record as the database gives it. */
export function storedRecord({ get }: RecordContracts): z.ZodType<Stored> {
  return z.object({ version: z.int(), record: get.response }) as z.ZodType<Stored>;
}

/** Gives the answer the entity tag of the state that it shows. */
export function tagged(ctx: Context, { version, record }: Stored): StoredRecord {
  ctx.reply.set("ETag", `"${version}"`);
  return record;
}

/** The versions that `If-Match` allows; a tag that is none of ours matches nothing. */
export function allowedVersions({ ifMatch }: Context): number[] | null {
  return ifMatch?.filter((tag) => /^[1-9]\d{0,14}$/.test(tag)).map(Number) ?? null;
}
