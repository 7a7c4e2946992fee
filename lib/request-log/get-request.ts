import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { LoggedRequestDetail } from "./contract.ts";

export function getRequest(ctx: Context, id: string): Promise<LoggedRequestDetail> {
  return read(ctx, "get_request", { id });
}
