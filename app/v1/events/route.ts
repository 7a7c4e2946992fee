import { createTestEventContract, listEventsContract } from "#lib/events/feed/contract.ts";
import { createTestEvent } from "#lib/events/feed/create-test-event.ts";
import { listEvents } from "#lib/events/feed/list-events.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { exampleDataOf } from "#lib/openapi/example-event.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listEventsContract, ({ ctx, query }) => listEvents(ctx, query)),
  endpoint(createTestEventContract, ({ ctx, body: { type } }) =>
    createTestEvent(ctx, type, exampleDataOf(type)),
  ),
);
