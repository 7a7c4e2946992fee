import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { listOpenHoursContract } from "./contract.ts";

type Contract = typeof listOpenHoursContract;

export function listOpenHours(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.output<Contract["response"]>> {
  return read(ctx, "list_open_hours", { id, ...query });
}
