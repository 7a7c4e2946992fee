import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Sandbox } from "./contract.ts";

export function createSandbox(ctx: Context): Promise<Sandbox> {
  return write<Sandbox>(ctx, "create_sandbox", {});
}
