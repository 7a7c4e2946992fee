import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type AlertChannel, alertChannel, type listAlertChannelsContract } from "./contract.ts";

type Contract = typeof listAlertChannelsContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([alertChannel.shape.id]) };

export function listAlertChannels(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<AlertChannel>(ctx, "list_alert_channels", NEWEST_FIRST, query);
}
