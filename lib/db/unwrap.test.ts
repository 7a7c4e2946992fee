import { expect, test } from "vitest";
import { unwrap } from "./unwrap.ts";

test("logs a violated constraint without the row that violated it", () => {
  const error = {
    code: "23502",
    message: "null value in column",
    details: "Failing row contains (acme, secret).",
    hint: null,
  };
  const caught = (() => {
    try {
      return unwrap({ data: null, error, status: 500 });
    } catch (refused) {
      return refused;
    }
  })();
  expect(caught).toMatchObject({
    code: "internal",
    cause: { code: "23502", message: "null value in column", details: null },
  });
});

test("a refused conflict has its reason and its fields", () => {
  const errors = [{ path: "ids.0", message: "It is paused already." }];
  const error = {
    code: "TO001",
    message: "conflict",
    details: "Some can't be paused.",
    hint: JSON.stringify({ reason: "cannot_pause", errors }),
  };
  expect(() => unwrap({ data: null, error, status: 400 })).toThrow(
    expect.objectContaining({ code: "conflict", reason: "cannot_pause", errors }),
  );
});
