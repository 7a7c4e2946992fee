import { expect, test } from "vitest";
import { createExceptionContract } from "../exceptions/contract.ts";
import { readInput } from "./input.ts";

test("reports the first 100 errors of a body with thousands", async () => {
  const body = JSON.stringify(
    Object.fromEntries(Array.from({ length: 19_000 }, (_, nth) => [`k${nth}`, 0])),
  );
  const headers = { "Content-Type": "application/json" };
  const request = new Request("http://localhost/v1/exceptions", { method: "POST", headers, body });
  const error = await readInput(createExceptionContract, "acme", request, {}).catch(
    (refusal: unknown) => refusal,
  );
  expect(error).toMatchObject({ code: "invalid_request", errors: expect.any(Array) });
  expect((error as { errors: unknown[] }).errors).toHaveLength(100);
});
