import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { env } from "../runtime/env.ts";
import type { listSessionsContract, Session } from "./contract.ts";

type Contract = typeof listSessionsContract;

const NEWEST_FIRST = { name: "newest", key: z.tuple([z.string()]) };

export function listSessions(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Session>(ctx, "list_sessions", NEWEST_FIRST, {
    ...query,
    idle_seconds: env().SESSION_IDLE_MINUTES * 60,
  });
}
