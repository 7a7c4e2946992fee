import { expect, test } from "vitest";
import { EVENTS } from "../events/contract.ts";
import { EVENT_KINDS } from "../wire/event-kinds.ts";
import { exampleDataOf } from "./example-event.ts";

test.each(EVENT_KINDS.filter((kind) => kind !== "webhook.test"))(
  "a test of %s carries the data of a real event",
  (kind) => {
    expect(EVENTS[kind].data.safeParse(exampleDataOf(kind)).error?.issues).toBeUndefined();
  },
);
