import { request as httpRequest } from "node:http";
import { beforeAll, describe, expect, it } from "vitest";
import { stack } from "#e2e/fixtures.ts";
import { signIn } from "#e2e/sign-in.ts";

/** Targets that would lead to another host if they were accepted as a path of ours. */
const ELSEWHERE = [
  "https://evil.example/",
  "//evil.example/",
  "///evil.example/",
  "/.//evil.example/",
  "/a/..//evil.example/",
  "/%2e//evil.example/",
  "/%2e%2e//evil.example/",
  "/\\evil.example/",
  "/.\\/evil.example/",
  "/%2f/evil.example/",
  "/%5cevil.example/",
  `${stack.url}//evil.example/`,
  `${stack.url}/.//evil.example/`,
  `${stack.url}@evil.example/`,
];

/**
 * The address to which a browser is redirected. fetch would normalize the path before sending it.
 */
function nextAddress(path: string, headers: Record<string, string> = {}): Promise<URL | null> {
  const { hostname, port } = new URL(stack.url);
  return new Promise((resolve, reject) => {
    httpRequest({ hostname, port, path, headers }, (response) => {
      response.resume();
      const { location } = response.headers;
      resolve(
        location === undefined
          ? null
          : new URL(location, new URL(path.startsWith("//") ? "/" : path, stack.url)),
      );
    })
      .on("error", reject)
      .end();
  });
}

const own = new URL(stack.url).origin;
let cookie: string;

beforeAll(async () => {
  const { cookies } = await signIn("ada@acme.example");
  cookie = cookies;
});

describe("never redirects to another host", () => {
  it.each(ELSEWHERE)("by signing in on the way to %s", async (target) => {
    const search = new URLSearchParams({ callbackUrl: target });
    const next = await nextAddress(`/sign-in?${search}`, { Cookie: cookie });
    expect(next?.href).toMatch(/^http:\/\/localhost:\d+\/(?!\/)/);
    expect(next?.origin).toBe(own);
    const start = await nextAddress(`/api/auth/signin?${search}`);
    expect(start?.origin).toBe(own);
    expect(new URL(start?.searchParams.get("callbackUrl") ?? "", own).origin).toBe(own);
    expect((await nextAddress("/sign-in", { Cookie: cookie }))?.origin).toBe(own);
  });

  it.each(ELSEWHERE.filter((path) => path.startsWith("/") && !path.includes("\\")))(
    "by the path %s",
    async (path) => {
      for (const target of [path, path.slice(0, -1), `/sign-in/..${path}`, `/acme${path}`]) {
        expect((await nextAddress(target))?.origin ?? own).toBe(own);
      }
    },
  );
});
