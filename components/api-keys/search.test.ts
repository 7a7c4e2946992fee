import { expect, test } from "vitest";
import { withoutSecret } from "./search.ts";

const KEY_ID = "tk_1XbZkd0qJm4sPw9RtYv2aC";
const SECRET = `tks_${"a".repeat(49)}`;

test.each([
  [`${KEY_ID}.${SECRET}`, KEY_ID],
  [SECRET, ""],
  [SECRET.slice(0, 20), ""],
  ["Nightly export", "Nightly export"],
  ["v1.2", "v1.2"],
])("searches for %s as %s, without the secret", (text, found) => {
  expect(withoutSecret(text)).toBe(found);
});
