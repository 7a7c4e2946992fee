import { z } from "zod";
import type { ZodOpenApiObject } from "zod-openapi";
import { EVENT_KINDS, EVENTS } from "../events/contract.ts";
import { time } from "../schema.ts";

const HEADERS = {
  "webhook-id": z
    .string()
    .meta({ description: "The event's id, the same on every attempt.", example: "evt_019a9f4be2c04d6f8a1b3c5d7e9f0a2b" }),
  "webhook-timestamp": z.string().meta({ description: "Seconds since 1970, of this attempt.", example: "1795167000" }),
  "webhook-signature": z.string().meta({
    description: "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, separated by spaces, while a secret is rotated.",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  }),
};

/** What we send to receivers: one for each event kind. */
export function webhooksOf(): NonNullable<ZodOpenApiObject["webhooks"]> {
  return Object.fromEntries(
    EVENT_KINDS.map((kind) => {
      const { summary, data } = EVENTS[kind];
      const body = z.object({ type: z.literal(kind), timestamp: time, data });
      return [
        kind,
        {
          post: {
            operationId: `receive_${kind.replaceAll(".", "_")}`,
            tags: ["Webhooks"],
            summary,
            security: [],
            requestParams: { header: z.object(HEADERS) },
            requestBody: { required: true, content: { "application/json": { schema: body } } },
            responses: {
              "2XX": { description: "It arrived. Any other status, or none within 15 s, is tried again." },
              "410": { description: "No more events are wanted: the webhook is disabled." },
            },
          },
        },
      ];
    }),
  );
}
