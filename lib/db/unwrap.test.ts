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
