import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type listSecurityEventsContract, type SecurityEvent, securityEvent } from "./contract.ts";

type Contract = typeof listSecurityEventsContract;

const NEWEST_FIRST = {
  name: "at",
  key: z.tuple([securityEvent.shape.at, z.string().regex(/^\d{1,18}$/)]),
};

export function listSecurityEvents(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<SecurityEvent>(ctx, "list_security_events", NEWEST_FIRST, query);
}
