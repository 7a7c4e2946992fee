import { expect, test } from "vitest";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";
import { schemaSql } from "../migration/schemas.ts";

const emitted = new Set([
  ...[...schemaSql().matchAll(/private\.emit(?:_own)?\((?:[\w.]+, )?'([a-z_.]+)'/g)].map(
    ([, kind]) => kind,
  ),
  ...[...schemaSql().matchAll(/'((?:exception|match)\.[a-z_.]+)'/g)].map(([, kind]) => kind),
]);

test("the database emits exactly the event kinds of the contract", () => {
  // A test event has the type that the caller chose; its default is this one.
  expect([...emitted, "webhook.test"].sort()).toEqual([...EVENT_KINDS].sort());
});
