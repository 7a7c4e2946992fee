import { expect, test } from "vitest";
import { restError } from "./rest-errors.ts";

test.each([
  ["TO001", 400],
  ["P0001", 400],
  ["22P02", 400],
  ["23514", 400],
  ["25006", 405],
  ["23505", 409],
  ["40001", 500],
  ["55P03", 500],
  ["57014", 500],
  ["08006", 503],
  ["53300", 503],
  ["57P01", 503],
  ["57P03", 503],
])("SQLSTATE %s is answered with PostgREST's %i", (code, status) => {
  const error = restError({ code, message: "m", detail: "d", hint: "h" });
  expect(JSON.parse(error?.detail ?? "")).toMatchObject({ status });
  expect(JSON.parse(error?.message ?? "")).toEqual({ code, message: "m", details: "d", hint: "h" });
});

test.each(["ECONNREFUSED", "ECONNRESET", "CONNECTION_CLOSED", "CONNECT_TIMEOUT"])(
  "a lost connection (%s) is 503",
  (code) => {
    const error = restError({ code, message: "connect to somewhere with a password" });
    expect(JSON.parse(error?.detail ?? "")).toMatchObject({ status: 503 });
    expect(error?.message).not.toContain("password");
  },
);

test.each(["42501", "PT418", "PGRST", undefined])("%s is left to lite", (code) => {
  expect(restError({ code, message: "m" })).toBeUndefined();
});
