import { expect, test } from "vitest";
import { EVENT_KINDS } from "#lib/events/contract.ts";
import { schemaSql } from "../migration/schemas.ts";

const emitted = new Set([
  ...[...schemaSql().matchAll(/private\.emit(?:_own)?\((?:[\w.]+, )?'([a-z_.]+)'/g)].map(
    ([, kind]) => kind,
  ),
  ...[...schemaSql().matchAll(/'((?:exception|match)\.[a-z_.]+)'/g)].map(([, kind]) => kind),
]);

test("the database emits the kinds of events that the contract knows, and no other", () => {
  // A test event is sent as what the caller asks for, by default as this.
  expect([...emitted, "webhook.test"].sort()).toEqual([...EVENT_KINDS].sort());
});
