import { z } from "zod";
import type { Context } from "../context.ts";
import { tagAnswer } from "../versions.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";

type Stored = { version: number; record: StoredRecord };

/** A record as the database gives it. */
export function storedRecord({ get }: RecordContracts): z.ZodType<Stored> {
  return z.object({ version: z.int(), record: get.response }) as z.ZodType<Stored>;
}

/** Gives the answer the entity tag of the state that it shows. */
export function tagged(ctx: Context, { version, record }: Stored): StoredRecord {
  tagAnswer(ctx, version);
  return record;
}
