import { expect, test } from "vitest";
import { EVENTS } from "../events/contract.ts";
import { EVENT_KINDS } from "../wire/event-kinds.ts";
import { exampleDataOf } from "./example-event.ts";

test.each(EVENT_KINDS.filter((kind) => kind !== "webhook.test"))(
  "a test of %s carries data that a real event could have",
  (kind) => {
    expect(EVENTS[kind].data.safeParse(exampleDataOf(kind)).error?.issues).toBeUndefined();
  },
);
