import { expect } from "@playwright/test";
import { createTenant, sql, stack } from "../fixtures.ts";
import { beSignedIn, createRecord, rowOf, scrollToEnd } from "./person.ts";
import { anotherContext, test } from "./test.ts";

let tenant: string;

test.beforeEach(async () => {
  tenant = await createTenant();
});

test("a release note that is published in the dashboard is visible to everyone", async ({
  page,
  browser,
}) => {
  await createRecord(tenant, "release-notes", {
    title: "Faster matching",
    version: "2.4.0",
    body: "It takes **half** the time.",
  });
  await beSignedIn(page.context(), { [tenant]: ["tenant_lead"] });
  const visitor = await (await anotherContext(browser)).newPage();
  await visitor.goto(`${stack.url}/${tenant}/updates`);
  await expect(visitor.getByRole("heading", { name: "No updates yet" })).toBeVisible();

  await page.goto(`/${tenant}/release-notes`);
  await rowOf(page, "Faster matching").getByRole("link").click();
  await page.getByRole("dialog").getByLabel("Published", { exact: true }).check();
  await page.getByRole("dialog").getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Saved" }).first()).toBeVisible();

  await visitor.reload();
  const note = visitor.getByRole("article", { name: "Faster matching" });
  await expect(note).toContainText("2.4.0");
  await expect(note.locator("strong")).toHaveText("half");
});

test("more updates are loaded with the publishable key and no other credential", async ({
  browser,
}) => {
  await sql(
    `insert into public.records (tenant_id, surface, data, created_by)
     select $1, 'release-notes', jsonb_build_object('title', 'Note ' || i, 'published', true),
       'system' from generate_series(1, 45) i`,
    [tenant],
  );
  const page = await (await anotherContext(browser)).newPage();
  const sent: Record<string, string>[] = [];
  page.on("request", async (request) => {
    if (request.url().includes("/v1/")) sent.push(await request.allHeaders());
  });
  await page.goto(`${stack.url}/${tenant}/updates`);
  await expect(page.getByRole("article")).toHaveCount(20);
  await scrollToEnd(page, "All 45 shown");
  await expect(page.getByRole("article")).toHaveCount(45);
  await expect.poll(() => sent.length).toBeGreaterThanOrEqual(2);
  for (const headers of sent) {
    expect(headers).toMatchObject({
      authorization: `Bearer ${stack.publishableKey}`,
      "x-tenant-id": tenant,
    });
    expect(headers).not.toHaveProperty("cookie");
  }
});

test("more updates load even if a busy page notices late that its end came into view", async ({
  browser,
}) => {
  await sql(
    `insert into public.records (tenant_id, surface, data, created_by)
     select $1, 'release-notes', jsonb_build_object('title', 'Note ' || i, 'published', true),
       'system' from generate_series(1, 45) i`,
    [tenant],
  );
  const page = await (await anotherContext(browser)).newPage();
  await page.addInitScript(() => {
    window.IntersectionObserver = class extends IntersectionObserver {
      constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        const changes: IntersectionObserverEntry[] = [];
        super((entries, observer) => {
          changes.push(...entries);
          document.documentElement.dataset.observed = String(changes.length);
          if (changes.length > 1) callback(changes.splice(0), observer);
        }, options);
      }
    };
  });
  await page.goto(`${stack.url}/${tenant}/updates`);
  await expect(page.getByRole("article")).toHaveCount(20);
  await expect(page.locator("html")).toHaveAttribute("data-observed", "1");
  await page.getByRole("status").scrollIntoViewIfNeeded();
  await expect.poll(() => page.getByRole("article").count()).toBeGreaterThan(20);
});

test("Markdown from users runs no scripts and loads nothing", async ({ page }) => {
  const body = [
    "<script>window.owned = 1</script>",
    '<img src="https://evil.example/pixel.png" onerror="window.owned = 1">',
    "![pixel](https://evil.example/pixel.png)",
    "[click](javascript:window.owned=1)",
    "[data](data:text/html,<script>window.owned=1</script>)",
    "[fine](https://example.com/a)",
  ].join("\n\n");
  await createRecord(tenant, "release-notes", {
    title: '<img src=x onerror="window.owned=1">',
    published: true,
    body,
  });
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`/${tenant}/updates`);
  await expect(page.getByRole("link", { name: "fine" })).toHaveAttribute(
    "href",
    "https://example.com/a",
  );
  for (const name of ["click", "data"]) {
    const href = await page.getByText(name, { exact: true }).getAttribute("href");
    expect(href ?? "").toBe("");
  }
  expect(await page.evaluate(() => "owned" in window)).toBe(false);
  expect(requests.filter((url) => url.includes("evil.example"))).toEqual([]);
  await expect(page.getByRole("article").locator("img, script")).toHaveCount(0);
});
