import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { SecurityEvent } from "./contract.ts";

export function getSecurityEvent(ctx: Context, id: string): Promise<SecurityEvent> {
  return read(ctx, "get_security_event", { id });
}
