import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { previewWebhookFiltersContract } from "./contract.ts";

type Contract = typeof previewWebhookFiltersContract;

export function previewWebhookFilters(
  ctx: Context,
  body: z.output<NonNullable<Contract["body"]>>,
): Promise<z.output<Contract["response"]>> {
  return write(ctx, "preview_webhook_filters", body);
}
