import { expect, test } from "vitest";
import { headline, pageOf, slackText } from "./messages.ts";

test("a headline counts in singular and plural", () => {
  expect([headline("exception_breached", 1), headline("exception_breached", 1200)]).toEqual([
    "1 exception passed its deadline",
    "1,200 exceptions passed their deadline",
  ]);
});

test("escapes a title for Slack, so that it can't mention people or link", () => {
  expect(slackText("<!channel> & <https://evil.example|click>\n*x*")).toBe(
    "&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt; *x*",
  );
});

test("links each alert to its subject", () => {
  const at = (kind: Parameters<typeof headline>[0]) =>
    pageOf("https://t.example", "acme", kind, "x_1");
  expect(at("assigned")).toBe("https://t.example/acme/exceptions?exception=x_1");
  expect(at("webhook_failing")).toBe("https://t.example/acme/webhooks/x_1");
  expect(at("connection_failing")).toBe("https://t.example/acme/sources/x_1");
  expect(at("api_key_expiring")).toBe("https://t.example/acme/api-keys?key=x_1");
});
