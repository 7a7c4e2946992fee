import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Evidence } from "./contract.ts";

export async function getEvidence(ctx: Context, id: string): Promise<Evidence> {
  return tagged(ctx, await read<Evidence>(ctx, "get_evidence", { id }));
}
