import { describe, expect, test } from "vitest";
import { stack } from "#e2e/fixtures.ts";

/** Paths of all kinds of responses: those with a page that a browser shows, and others. */
const PAGES = [
  "/sign-in",
  "/docs",
  "/docs/errors",
  "/acme/exceptions",
  "/no/such/page",
  "/docs/no-such-page",
  "/%2e%2e/x",
  "/_next/image?url=%2Ficon.svg&w=64&q=75",
  "/_next/data/none.json",
  "/favicon.ico",
];
const OTHERS = [
  "/api/auth/signin",
  "/api/auth/signin/password",
  "/api/auth/signout",
  "/api/auth/error?error=Configuration",
  "/api/auth/verify-request",
  "/api/auth/session",
  "/api/none",
  "/_next/static/none.js",
  "/icon.svg",
  "/healthz",
  "/metrics",
  "/v1/me",
  "/v1/openapi.json",
  "/v1/none",
];

const policyOf = async (path: string) => {
  const answer = await fetch(`${stack.url}${path}`, {
    redirect: "manual",
    headers: { Accept: "text/html" },
  });
  await answer.arrayBuffer();
  return answer.headers.get("content-security-policy") ?? "";
};

describe("each response restricts what a browser may do with it", () => {
  test.each(PAGES)("%s runs only scripts with its own nonce", async (path) => {
    const policy = await policyOf(path);
    expect(policy).toMatch(
      /^default-src 'self'; script-src 'self' 'nonce-[\w+/=]+' 'strict-dynamic';/,
    );
    expect(policy).toContain("frame-ancestors 'none'");
  });

  test.each(OTHERS)("%s runs and loads nothing", async (path) => {
    const policy = await policyOf(path);
    expect(policy).toMatch(/^default-src 'none'/);
    expect(policy).toContain("frame-ancestors 'none'");
  });
});
