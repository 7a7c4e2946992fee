import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Evidence } from "./contract.ts";
import { storeOf } from "./evidence-store.ts";

type Removed = Evidence & { bucket: string | null };

export async function removeEvidence(ctx: Context, id: string, reason: string): Promise<Evidence> {
  const removed = await write<Removed>(ctx, "remove_evidence", { id, reason });
  await storeOf(removed.bucket).remove(ctx, id);
  return tagged(ctx, removed);
}
