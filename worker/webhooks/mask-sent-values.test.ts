import { expect, test } from "vitest";
import { maskSentValues } from "./mask-sent-values.ts";

const answered = (body: string) => ({
  duration_ms: 1,
  status_code: 401,
  detail: null,
  retry_after_seconds: null,
  response_headers: { "www-authenticate": body },
  response_body: body,
  response_truncated: false,
});

test.each([
  ["whole", "X-Key: 3f1c0d9be7a8", "3f1c0d9be7a8", "X-Key: [redacted]"],
  [
    "escaped as in JSON",
    '{"key":"id=\\"a\\", sig=\\"b\\""}',
    'id="a", sig="b"',
    '{"key":"[redacted]"}',
  ],
  [
    "without its scheme",
    "no user dXNlcjpzZWNyZXQ=",
    "Basic dXNlcjpzZWNyZXQ=",
    "no user [redacted]",
  ],
  [
    "decoded from Basic",
    "ada can't log in with open sesame",
    "Basic YWRhOm9wZW4gc2VzYW1l",
    "ada can't log in with [redacted]",
  ],
  [
    "as the user of Basic",
    "no key sk_live_4711",
    "Basic c2tfbGl2ZV80NzExOg==",
    "no key [redacted]",
  ],
  [
    "as a parameter",
    "no token 3f1c0d9be7a8",
    'Token token="3f1c0d9be7a8", realm="acme"',
    "no token [redacted]",
  ],
])("a value that a receiver echoes %s isn't stored", (_name, body, value, stored) => {
  expect(maskSentValues(answered(body), [value])).toMatchObject({
    response_body: stored,
    response_headers: { "www-authenticate": stored },
  });
});

test("a value shorter than eight characters is not masked", () => {
  expect(maskSentValues(answered("no"), ["no", ""])).toEqual(answered("no"));
});
