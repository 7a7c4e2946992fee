import { expect, test } from "vitest";
import { stack } from "#e2e/fixtures.ts";
import { GUIDE_SLUGS } from "#lib/guides/guides.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { ERROR_CODES } from "#lib/wire/errors.ts";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";

type Page = { status: number; anchors: Set<string>; links: { href: string; from: string }[] };

const AT_ONCE = 4;

let crawled: Promise<Map<string, Page>> | undefined;
const allPages = () => (crawled ??= crawl());

/** Every page under /docs that a link leads to, beginning with /docs itself. */
async function crawl(): Promise<Map<string, Page>> {
  const pages = new Map<string, Page>();
  const open = ["/docs"];
  const known = new Set(open);
  const visit = async () => {
    for (let path = open.shift(); path !== undefined; path = open.shift()) {
      const page = await read(path);
      pages.set(path, page);
      for (const { href } of page.links) {
        const [target = ""] = href.split("#");
        if (known.has(target)) continue;
        known.add(target);
        open.push(target);
      }
    }
  };
  while (open.length > 0) await Promise.all(Array.from({ length: AT_ONCE }, visit));
  return pages;
}

async function read(path: string): Promise<Page> {
  const response = await fetch(stack.url + path, { redirect: "manual" });
  const html =
    response.headers.get("content-type")?.startsWith("text/html") && path.startsWith("/docs")
      ? await response.text()
      : "";
  const hrefs = [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = ""]) =>
    href.replaceAll("&amp;", "&"),
  );
  const links = hrefs
    .filter((href) => !/^[a-z]+:/.test(href))
    .map((href) => {
      const { pathname, search, hash } = new URL(href, stack.url + path);
      return { href: pathname + search + hash, from: path };
    });
  return {
    status: response.status,
    anchors: new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id)),
    links,
  };
}

test("every link and anchor of the documentation works, and every page is linked", async () => {
  const pages = await allPages();
  const broken = [...pages.values()].flatMap(({ links }) =>
    links.filter(({ href }) => {
      const [path = "", anchor] = href.split("#");
      const page = pages.get(path);
      // The dashboard redirects to the sign-in page.
      if (path === "/") return false;
      return page?.status !== 200 || (anchor !== undefined && !page.anchors.has(anchor));
    }),
  );
  expect(broken.map(({ href, from }) => `${from} → ${href}`)).toEqual([]);
  const linked = [...pages.keys()];
  expect(linked).toEqual(expect.arrayContaining(ERROR_CODES.map((code) => `/docs/errors/${code}`)));
  expect(linked).toEqual(expect.arrayContaining(GUIDE_SLUGS.map((slug) => `/docs/guides/${slug}`)));
  expect(linked).toEqual(expect.arrayContaining(EVENT_KINDS.map((kind) => `/docs/events/${kind}`)));
  expect(linked.filter((path) => /^\/docs\/reference\/[\w-]+\/[\w-]+$/.test(path))).toHaveLength(
    CONTRACTS.length,
  );
  expect(linked).toContain("/v1/openapi.json");
});

test("every search result leads to an existing page", async () => {
  const entries = (await (await fetch(`${stack.url}/docs/search.json`)).json()) as {
    title: string;
    href: string;
  }[];
  const pages = await allPages();
  const lost = entries.filter(({ href }) => {
    const [path = "", anchor] = href.split("#");
    const page = pages.get(path);
    return page?.status !== 200 || (anchor !== undefined && !page.anchors.has(anchor));
  });
  expect(lost).toEqual([]);
  expect(entries.length).toBeGreaterThan(
    CONTRACTS.length + ERROR_CODES.length + EVENT_KINDS.length,
  );
});

test.each([
  "/docs/nowhere",
  "/docs/guides/nowhere",
  "/docs/reference/nowhere",
  "/docs/reference/exceptions/nowhere",
  "/docs/errors/a/b",
])("%s is a 404 of the documentation, never a tenant's page", async (path) => {
  const response = await fetch(stack.url + path, { redirect: "manual" });
  expect([response.status, (await response.text()).includes("Page not found")]).toEqual([
    404,
    true,
  ]);
});

test("pages need no credential and run under the strict policy", async () => {
  for (const path of [
    "/docs",
    "/docs/errors/conflict",
    "/docs/reference/exceptions/create-exception",
    "/docs/guides/quickstart",
  ]) {
    const response = await fetch(stack.url + path);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-security-policy")).not.toContain("unsafe");
    expect(html).not.toMatch(/<[^>]+\sstyle=/);
    expect(html).not.toMatch(/<script(?![^>]*nonce=)/);
  }
});
