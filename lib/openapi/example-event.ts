import { createDocument } from "zod-openapi";
import type { EventKind } from "../wire/event-kinds.ts";
import { addExamples } from "./show-examples.ts";
import { sendEvents, webhooksOf } from "./webhooks.ts";

type Shown = {
  post: {
    requestBody: { content: Record<string, { example: { data: Record<string, unknown> } }> };
  };
};

/**
 * The data of an event in the reference. Null for webhook.test, whose data is the webhook itself.
 */
export function exampleDataOf(kind: EventKind): Record<string, unknown> | null {
  if (kind === "webhook.test") return null;
  const document = createDocument({
    openapi: "3.1.1",
    info: { title: kind, version: "1" },
    webhooks: { [kind]: webhooksOf()[kind] ?? {} },
  });
  sendEvents(document);
  addExamples(document, []);
  const webhook = document.webhooks?.[kind] as unknown as Shown;
  return webhook.post.requestBody.content["application/json"]?.example.data ?? null;
}
