import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type listWebhooksContract, type Webhook, webhook } from "./contract.ts";

type Contract = typeof listWebhooksContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([webhook.shape.id]) };

export function listWebhooks(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Webhook, { as_of: string }>(ctx, "list_webhooks", NEWEST_FIRST, query);
}
