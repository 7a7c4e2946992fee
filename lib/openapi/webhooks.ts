import { z } from "zod";
import type { createDocument, ZodOpenApiObject } from "zod-openapi";
import { EVENTS } from "../events/contract.ts";
import { EVENT_KINDS, type EventKind } from "../wire/event-kinds.ts";
import { time } from "../wire/schema.ts";

type OpenApiDocument = ReturnType<typeof createDocument>;

const HEADERS = {
  "webhook-id": z.string().max(44).meta({
    description: "The event's ID, the same on every attempt.",
    example: "evt_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
  }),
  "webhook-timestamp": z
    .string()
    .max(12)
    .meta({ description: "Unix time of this attempt, in seconds.", example: "1795167000" }),
  "webhook-signature": z
    .string()
    .max(200)
    .meta({
      description:
        "`v1,` followed by the base64 of HMAC-SHA256 over `id.timestamp.body`. Several, " +
        "separated by spaces, during a secret rotation.",
      example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    }),
};

type ExceptionData = { exception: Record<string, unknown>; [field: string]: unknown };

const TEST = { description: "Only on a test, whose data is an example.", example: true };

const YESTERDAY = "2026-11-19T09:30:00.000Z";
const NOW = "2026-11-20T09:30:00.000Z";
const IN_HALF_AN_HOUR = "2026-11-20T10:00:00.000Z";
const IN_FOUR_HOURS = "2026-11-20T13:30:00.000Z";

/** The example exception at the moment of each of its events. */
const MOMENTS: Partial<Record<EventKind, ExceptionData>> = {
  "exception.sla.at_risk": {
    exception: {
      due_at: IN_FOUR_HOURS,
      minutes_to_breach: 240,
      breach_risk: "medium",
      created_at: YESTERDAY,
    },
    due_at: IN_FOUR_HOURS,
  },
  "exception.sla.breached": {
    exception: {
      due_at: NOW,
      minutes_to_breach: 0,
      breach_risk: "breached",
      created_at: YESTERDAY,
    },
    due_at: NOW,
  },
  "exception.created": { exception: { due_at: IN_HALF_AN_HOUR, created_at: NOW, updated_at: NOW } },
  "exception.updated": {
    exception: { due_at: IN_HALF_AN_HOUR, status: "in_review", created_at: YESTERDAY },
    changes: { status: { from: "open", to: "in_review" } },
  },
  "exception.paused": {
    exception: {
      due_at: IN_HALF_AN_HOUR,
      breach_risk: "low",
      paused_at: NOW,
      pause_reason: "Waiting for the bank",
      created_at: YESTERDAY,
      updated_at: NOW,
    },
    changes: {
      paused_at: { from: null, to: NOW },
      pause_reason: { from: null, to: "Waiting for the bank" },
    },
  },
  "exception.resumed": {
    exception: { due_at: IN_HALF_AN_HOUR, created_at: YESTERDAY, updated_at: NOW },
    changes: {
      due_at: { from: NOW, to: IN_HALF_AN_HOUR },
      paused_at: { from: YESTERDAY, to: null },
      pause_reason: { from: "Waiting for the bank", to: null },
    },
  },
  "exception.commented": {
    exception: { due_at: IN_HALF_AN_HOUR, created_at: YESTERDAY, updated_at: NOW },
  },
  "exception.resolved": {
    exception: {
      due_at: IN_HALF_AN_HOUR,
      minutes_to_breach: null,
      breach_risk: null,
      status: "resolved",
      resolution: "The bank line arrived.",
      created_at: YESTERDAY,
      closed_at: NOW,
    },
  },
};

/** An event's example at the moment of that event; other examples are unchanged. */
export function atEventTime(name: string, example: unknown): unknown {
  const moment = MOMENTS[name as EventKind];
  if (!moment) return example;
  const { data, ...envelope } = example as { data: ExceptionData };
  return {
    ...envelope,
    data: { ...data, ...moment, exception: { ...data.exception, ...moment.exception } },
  };
}

/** Marks schemas that we send, until `sendEvents` makes them bodies of requests. */
const SENT = "200";

/**
 * Makes the events the bodies of their requests. Until then they are responses, because zod-openapi
 * describes the body of a request as what we accept, which would be a second schema of each
 * resource.
 */
export function sendEvents({ webhooks = {} }: Pick<OpenApiDocument, "webhooks">): void {
  for (const { post } of Object.values(webhooks)) {
    if (!post?.responses) continue;
    const { [SENT]: sent, ...responses } = post.responses;
    post.requestBody = { required: true, content: sent?.content ?? {} };
    post.responses = responses;
  }
}

/** The requests that we send to receivers, one for each event kind. */
export function webhooksOf(): NonNullable<ZodOpenApiObject["webhooks"]> {
  return Object.fromEntries(
    EVENT_KINDS.map((kind) => {
      const { summary, data } = EVENTS[kind];
      const body = z.object({
        type: z.literal(kind),
        timestamp: time,
        test: z.literal(true).optional().meta(TEST),
        data,
      });
      return [
        kind,
        {
          post: {
            operationId: `receive_${kind.replaceAll(".", "_")}`,
            tags: ["Webhooks"],
            summary,
            security: [],
            requestParams: { header: z.object(HEADERS) },
            responses: {
              [SENT]: { description: "", content: { "application/json": { schema: body } } },
              "2XX": {
                description: "Delivered. Any other status, or none within 15 s, is retried.",
              },
              "410": { description: "Stops all events: the webhook is disabled." },
            },
          },
        },
      ];
    }),
  );
}
