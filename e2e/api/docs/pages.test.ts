import { describe, expect, it } from "vitest";
import { slugOf } from "#components/docs/slug.ts";
import { EVENTS } from "#lib/events/contract.ts";
import { GUIDE_SLUGS } from "#lib/guides/guides.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { ERROR_CODES, ERRORS } from "#lib/wire/errors.ts";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";
import { levelsOf, pageOf } from "../pages/page.ts";

/**
 * Expects a page with one title, headings whose levels never skip one, and a way to every other
 * page.
 */
async function soundPage(path: string) {
  const page = await pageOf(path);
  expect(page.status).toBe(200);
  expect(page.text).toMatch(/<html lang="en"/);
  expect(page.text).toMatch(/<title>[^<]+<\/title>/);
  expect(page.text.match(/<main[\s>]/g)).toHaveLength(1);
  expect(page.text).toMatch(/<nav[^>]*aria-label="Documentation"/);
  const levels = levelsOf(page);
  expect(levels.filter((level) => level === 1)).toEqual([1]);
  for (const [at, level] of levels.entries())
    expect(level - (levels[at - 1] ?? level)).toBeLessThanOrEqual(1);
  const ids = [...page.text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  return page;
}

describe("each generated page of the docs exists and is valid", () => {
  it.each(CONTRACTS)(
    "$operationId, with its method, its path and its status",
    async ({ tag, operationId, method, path, status }) => {
      const { text } = await soundPage(`/docs/reference/${slugOf(tag)}/${slugOf(operationId)}`);
      const plainText = text.replaceAll(/<!-- -->|<wbr\/?>/g, "");
      for (const part of [method, path, String(status)]) expect(plainText).toContain(part);
    },
  );

  it.each([...new Set(CONTRACTS.map(({ tag }) => tag))])(
    "%s, with each of its operations",
    async (tag) => {
      const { text } = await soundPage(`/docs/reference/${slugOf(tag)}`);
      for (const { operationId } of CONTRACTS.filter((contract) => contract.tag === tag))
        expect(text).toContain(`/${slugOf(operationId)}"`);
    },
  );

  it.each(EVENT_KINDS)("%s, with what it is", async (kind) => {
    const { headings, text } = await soundPage(`/docs/events/${kind}`);
    expect(headings[0]).toBe(kind);
    expect(text).toContain(EVENTS[kind].summary);
  });

  it.each(ERROR_CODES)("%s, with its status and title", async (code) => {
    const { headings, text } = await soundPage(`/docs/errors/${code}`);
    expect(headings[0]).toBe(code);
    expect(text).toContain(ERRORS[code].title.replaceAll("'", "&#x27;"));
    expect(text).toContain(String(ERRORS[code].status));
  });
});

it.each([
  "",
  "/guides",
  "/reference",
  "/events",
  "/errors",
  ...GUIDE_SLUGS.map((slug) => `/guides/${slug}`),
])("/docs%s is sound", async (path) => {
  await soundPage(`/docs${path}`);
});

it.each([
  "/docs/no-such-page",
  "/docs/reference/exceptions/no-such-operation",
  "/docs/events/no.such",
  "/docs/guides/no-such",
])("%s is not a page", async (path) => {
  expect((await pageOf(path)).status).toBe(404);
});
