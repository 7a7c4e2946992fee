import { expect, test } from "vitest";
import type { z } from "zod";
import { locationOf } from "../http/location.ts";
import { CONTRACTS } from "./operations.ts";

const EXAMPLE_ID = "019a9f4be2c04d6f8a1b3c5d7e9f0a2b";

/** The prefix of the response's ID, by the schema's pattern; undefined without an ID. */
function prefixOf(response: z.ZodType): string | undefined {
  const { shape } = response._zod.def as unknown as { shape?: Record<string, z.ZodType> };
  const example = (shape?.id?.meta() as { example?: string } | undefined)?.example;
  return example?.split("_", 1)[0];
}

const created = CONTRACTS.filter(({ status }) => status === 201 || status === 202).map(
  (contract) => ({ contract, prefix: prefixOf(contract.response) }),
);
const reads = CONTRACTS.filter(({ method }) => method === "GET").map(
  ({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
);

test("every 201 and 202 has a Location that an operation reads", () => {
  expect(created.length).toBeGreaterThan(15);
  const lost = created.flatMap(({ contract: { operationId, path }, prefix }) => {
    if (prefix === undefined) return [`${operationId}: no ID`];
    const location = locationOf(`${prefix}_${EXAMPLE_ID}`, "acme", path);
    return reads.some((read) => read.test(location)) ? [] : [`${operationId}: ${location}`];
  });
  expect(lost).toEqual([]);
});
