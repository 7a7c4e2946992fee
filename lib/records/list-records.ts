import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";

const NEWEST_FIRST = { name: "id", key: z.tuple([z.string().regex(/^rec_[0-9a-z]{20,40}$/)]) };

export function listRecords(
  ctx: Context,
  { surface }: RecordContracts,
  query: z.output<RecordContracts["list"]["query"]>,
): Promise<z.input<RecordContracts["list"]["response"]>> {
  return readPage<StoredRecord>(ctx, "list_records", NEWEST_FIRST, { surface, ...query });
}
