import { expect, test } from "vitest";
import { bucketOf } from "./authenticate.ts";

const bucket = (issuer: string, id: string) =>
  bucketOf({ type: "user", issuer, id }, "acme", { address: null });

test("two people never share a rate limit, whatever their issuer and subject contain", () => {
  expect(bucket("https://idp.example:8443", "ada")).not.toBe(
    bucket("https://idp.example", "8443:ada"),
  );
  expect(bucket("", "a:b")).not.toBe(bucket("a", "b"));
  expect(bucket("a", "b")).toBe(bucket("a", "b"));
});

test("visitors with the publishable key are counted by their address", () => {
  const visitor = { type: "publishable_key", issuer: "", id: "publishable_key" } as const;
  expect(bucketOf(visitor, "acme", { address: "203.0.113.7" })).not.toBe(
    bucketOf(visitor, "acme", { address: "203.0.113.8" }),
  );
});
