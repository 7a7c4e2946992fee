import { expect, test } from "vitest";
import { ApiProblem } from "#components/api-client.ts";
import { problemAt, problemsOf, withoutFields } from "./problems.ts";

const errors = [
  { path: "ip_allowlist.3", message: "Not a range." },
  { path: "config.api_key", message: "This looks like a credential." },
  { path: "config.api_key", message: "Said second." },
  { path: "name", message: "Too long." },
];
const problems = problemsOf(
  new ApiProblem(400, { code: "invalid_request", detail: "See errors.", request_id: null, errors }),
);

test("shows a server's error at its field, also in items and nested fields", () => {
  expect(problemAt(problems, "ip_allowlist")).toBe("Not a range.");
  expect(problemAt(problems, "config")).toBe("config.api_key: This looks like a credential.");
  expect(problemAt(problems, "name")).toBe("Too long.");
  expect(problemAt(problems, "nam")).toBeUndefined();
});

test("shows no field error for a failure without a response", () => {
  expect(problemsOf(new Error("no answer"))).toEqual({});
  expect(problemsOf(null)).toEqual({});
});

test("clears the error of a changed field and keeps the others", () => {
  expect(Object.keys(withoutFields(problems, ["config"]))).toEqual(["name", "ip_allowlist.3"]);
});
