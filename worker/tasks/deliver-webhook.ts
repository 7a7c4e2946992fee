import type { Task } from "graphile-worker";
import type { Dispatcher } from "../webhooks/dispatcher.ts";

/** Wakes the sender. Should this worker die before it has claimed, the next sweep finds what is due. */
export function deliverWebhook(dispatcher: Dispatcher): Task {
  return async (payload) => dispatcher.wake((payload as { webhook_id: string }).webhook_id);
}
