/** Reading events, for servers that can't receive requests from outside. */
import { z } from "zod";
import { needs } from "../../wire/access.ts";
import { contract } from "../../wire/contract.ts";
import { EVENT_KINDS } from "../../wire/event-kinds.ts";
import {
  id,
  page,
  pageQuery,
  queryBoolean,
  queryChoices,
  queryInteger,
  time,
  timestamp,
} from "../../wire/schema.ts";

const tag = "Events";
export const WAIT_MAX_SECONDS = 20;

/** An event in a response: the body of its delivery, with its ID and its subject. */
const event = z
  .object({
    id: id("evt").meta({ description: "The same as the webhook-id header of its deliveries." }),
    type: z.enum(EVENT_KINDS).meta({ example: "exception.created" }),
    timestamp: time,
    test: z
      .literal(true)
      .optional()
      .meta({ description: "Only on a test, whose data is an example.", example: true }),
    subject: z.string().max(64).nullable().meta({
      description: "The ID of what it is about.",
      example: "exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
    }),
    data: z.record(z.string(), z.unknown()).meta({
      description: "The same as in a delivery of this type.",
      example: { exception: { id: "exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b", status: "open" } },
    }),
  })
  .meta({ id: "ListedEvent" });
export type Event = z.output<typeof event>;

const eventPage = page(event)
  .extend({
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: "Null if there are no more events for now.", example: null }),
    resume_cursor: z.string().max(2000).meta({
      description: "The position after this page. Save it after you have stored the events.",
      example: "WyJldmVudHMiLFsiMTE4IiwiMjAyNi0xMS0yMFQwOTozMDowMC4wMDBaIl1d",
    }),
    as_of: time,
  })
  .meta({ id: "ListedEventPage" });
export type EventPage = z.output<typeof eventPage>;

export const listEventsContract = contract({
  operationId: "listEvents",
  method: "GET",
  path: "/v1/events",
  tag,
  summary: "List events, oldest first",
  description:
    "The events of the last 30 days, with the IDs and bodies that webhooks deliver. Send " +
    "resume_cursor as cursor next time: no event ever appears behind it, and each appears " +
    "at least once. A cursor works with any filters. With wait, a call without events waits " +
    "for one. A key gets the types that its scopes allow; naming another type is refused.",
  access: needs("read:events"),
  query: z.strictObject({
    ...pageQuery,
    types: queryChoices(EVENT_KINDS)
      .optional()
      .meta({ description: "Only these types.", example: ["exception.created", "run.done"] }),
    subject: z.string().min(1).max(64).optional().meta({
      description: "Only events about this ID.",
      example: "exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
    }),
    since: timestamp
      .optional()
      .meta({ description: "Only events at or after this time, at most 30 days ago." }),
    wait: queryInteger(0, WAIT_MAX_SECONDS)
      .default(0)
      .meta({
        description: "How many seconds to wait for an event. The response may come sooner.",
        example: 0,
        override: { default: 0 },
      }),
    test: queryBoolean.optional().meta({ description: "Also list tests.", example: true }),
  }),
  response: eventPage,
});

export const getEventContract = contract({
  operationId: "getEvent",
  method: "GET",
  path: "/v1/events/{id}",
  tag,
  summary: "Get an event",
  access: needs("read:events"),
  params: z.object({ id: id("evt") }),
  response: event,
  resource: "unversioned",
});

export const createTestEventContract = contract({
  operationId: "createTestEvent",
  method: "POST",
  path: "/v1/events",
  tag,
  summary: "Send a test event",
  description:
    'An event with example data and `"test": true`, for readers that ask for tests. ' +
    "No webhook gets it.",
  access: needs("write:webhooks"),
  idempotency: { field: "idempotency_key", required: false },
  body: z.strictObject({
    type: z.enum(EVENT_KINDS).exclude(["webhook.test"]).meta({ example: "exception.created" }),
  }),
  response: event,
  status: 201,
});
