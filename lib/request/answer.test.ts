import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Contract } from "../wire/contract.ts";
import { responseOf } from "./answer.ts";
import type { Context } from "./context.ts";

const CONTRACT = {
  resource: null,
  response: z.object({
    items: z.array(z.object({ id: z.string() })),
    next_cursor: z.string().nullable(),
  }),
} as unknown as Contract;
const BOUNDED = {
  resource: null,
  response: z.object({ items: z.array(z.object({ id: z.string() })).max(150) }),
} as unknown as Contract;
const CTX = { requestId: "req_1", tenantId: "acme", operation: "listThings" } as Context;

const pageOf = (count: number) => ({
  items: Array.from({ length: count }, (_, at) => ({ id: `thing_${at}`, secret: "s" })),
  next_cursor: null,
});

const respond = (page: unknown) => responseOf(CONTRACT, CTX, Promise.resolve(page as never));

test.each([3, 100, 101, 250])("a response of %i items has each once, in order", async (count) => {
  const { data, body } = await respond(pageOf(count));
  const expected = {
    items: Array.from({ length: count }, (_, at) => ({ id: `thing_${at}` })),
    next_cursor: null,
  };
  expect(data).toEqual(expected);
  expect(body).toBe(JSON.stringify(expected));
});

test("other requests are served while a long response is parsed", async () => {
  const order: string[] = [];
  const other = setImmediate().then(() => order.push("other"));
  const long = respond(pageOf(500)).then(() => order.push("long"));
  await Promise.all([other, long]);
  expect(order).toEqual(["other", "long"]);
});

test("an item of a long page that doesn't fit the contract is left out", async () => {
  const page = pageOf(250);
  page.items.splice(120, 1, { id: 7 as never, secret: "s" });
  const { data } = await respond(page);
  expect((data as { items: { id: string }[] }).items).toHaveLength(249);
});

test.each([101, 150])("%i items are sent if the contract allows 150", async (count) => {
  const { items } = pageOf(count);
  const { data } = await responseOf(BOUNDED, CTX, Promise.resolve({ items } as never));
  expect((data as { items: object[] }).items).toHaveLength(count);
});

test("more items than the contract allows are an error", async () => {
  const { items } = pageOf(151);
  await expect(responseOf(BOUNDED, CTX, Promise.resolve({ items } as never))).rejects.toThrow(
    "too_big",
  );
});
