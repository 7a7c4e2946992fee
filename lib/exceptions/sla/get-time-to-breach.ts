import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { timeToBreach } from "./contract.ts";

export function getTimeToBreach(ctx: Context): Promise<z.output<typeof timeToBreach>> {
  return read(ctx, "get_time_to_breach", {});
}
