import { expect, test } from "vitest";
import { ApiError } from "./errors.ts";

test("recognises an ApiError of another copy of this module, and nothing else", async () => {
  const copy: typeof import("./errors.ts") = await import(`./errors.ts?${"copy"}`);
  expect(copy.ApiError).not.toBe(ApiError);
  expect(new copy.ApiError("not_found", "No.")).toBeInstanceOf(ApiError);
  for (const other of [new Error("not_found"), { code: "not_found" }, null, undefined, "not_found"])
    expect(other instanceof ApiError).toBe(false);
});
