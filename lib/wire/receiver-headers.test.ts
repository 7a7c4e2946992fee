import { expect, test } from "vitest";
import { headerNameFault, headerValueFault } from "./receiver-headers.ts";

test.each([
  ["of the connection", ["Connection", "Keep-Alive", "TE", "Trailer", "Upgrade", "HTTP2-Settings"]],
  ["of a proxy", ["Proxy-Authorization", "Proxy-Connection", "Via", "Forwarded", "Max-Forwards"]],
  ["of the body", ["Content-Length", "Content-Encoding", "Transfer-Encoding", "Expect", "Host"]],
  ["of the signature", ["webhook-id", "Webhook-Timestamp", "WEBHOOK-SIGNATURE", "webhook-other"]],
  [
    "that name the sender's address",
    ["X-Forwarded-For", "X-Real-IP", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP"],
  ],
  ["that we set", ["User-Agent", "Accept", "traceparent", "Cookie", "Date"]],
])("headers %s can't be set", (_name, names) => {
  for (const name of names)
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()])
      expect(headerNameFault(spelling), spelling).toContain("is set by");
});

test.each(["X-Gateway-Key", "Authorization", "X-Via", "content", "x_key", "If-Match"])(
  "%s can be set",
  (name) => expect(headerNameFault(name)).toBeNull(),
);

test.each(["", "a b", "a:b", "a\r\nb", "Schlüssel", "ключ", "a\0", "x".repeat(65), "ｈｏｓｔ"])(
  "%j isn't a header name",
  (name) => expect(headerNameFault(name)).not.toBeNull(),
);

test.each([
  "",
  " ",
  "a ",
  " a",
  "a\r\nX-Other: b",
  "a\nb",
  "a\rb",
  "a\0b",
  "schlüssel",
  "🔑",
  "\x7f",
])("%j isn't a header value", (value) => expect(headerValueFault(value)).not.toBeNull());

test("a value may contain spaces and tabs, up to 1000 characters", () => {
  for (const value of ["a", "Bearer a.b", "a\tb", "~".repeat(1000)])
    expect(headerValueFault(value)).toBeNull();
  expect(headerValueFault("a".repeat(1001))).not.toBeNull();
});
