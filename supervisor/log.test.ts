import { expect, test } from "vitest";
import { entryOf } from "./log.ts";

test("a line of our own loggers keeps its fields and gets its process's name", () => {
  const line = JSON.stringify({
    level: "warn",
    time: "2026-01-01T00:00:00.000Z",
    pool: "a",
    msg: "silent",
    part: "forged",
  });
  expect(entryOf("worker", line)).toEqual({
    time: "2026-01-01T00:00:00.000Z",
    level: "warn",
    part: "worker",
    msg: "silent",
    pool: "a",
  });
});

test.each(["plain text", "{not json", ""])(
  "%j becomes an entry with the line as its message",
  (line) => {
    expect(entryOf("web", line, "error")).toMatchObject({ level: "error", part: "web", msg: line });
  },
);

test.each([
  ["plain text", (secret: string) => `⨯ Error: no page for /acme/exceptions/${secret}`],
  ["percent-encoded", (secret: string) => `STATEMENT: select '${secret.replace("_", "%5F")}'`],
  ["JSON", (secret: string) => JSON.stringify({ level: "error", msg: "x", path: secret })],
])("a secret in a line that is %s is masked in the lines of every process", (_form, line) => {
  const secret = `tks_${"Zx9".repeat(16)}Q`;
  const written = decodeURI(JSON.stringify(entryOf("web", line(secret), "error")));
  expect(written).toContain("[redacted]");
  expect(written).not.toContain(secret.slice(4));
});
