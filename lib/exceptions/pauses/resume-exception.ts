import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { Exception } from "../contract.ts";

export async function resumeException(ctx: Context, id: string): Promise<Exception> {
  return tagged(ctx, await write<Exception>(ctx, "resume_exception", { id }));
}
