import { expect, type Page, type Request } from "@playwright/test";
import { createTenant } from "../fixtures.ts";
import { beSignedIn, reportMany } from "./person.ts";
import { test } from "./test.ts";

const ROUNDS = 5;

/**
 * Clicks a link of the navigation; returns the time until the frame that shows the page's heading.
 */
function follow(page: Page, name: string): Promise<number> {
  return page.evaluate(
    (title) =>
      new Promise<number>((resolve) => {
        const link = [
          ...document.querySelectorAll<HTMLAnchorElement>("nav[aria-label=Main] a"),
        ].find((element) => element.textContent === title);
        const startedAt = performance.now();
        const look = () => {
          if (document.querySelector("h1")?.textContent === title)
            resolve(performance.now() - startedAt);
          else requestAnimationFrame(look);
        };
        link?.click();
        requestAnimationFrame(look);
      }),
    name,
  );
}

test("a visited or hovered page shows without a request to the server", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  await reportMany(tenant, 60);
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  await page.goto(`/${tenant}/exceptions`);
  const requests: string[] = [];
  const recordRequest = (request: Request) =>
    isPageRequest(request) && requests.push(request.url());
  const hoveredMs: Record<string, number> = {};
  for (const [name, path] of Object.entries({
    Reconciliations: "reconciliations",
    "API keys": "api-keys",
    Integrations: "integrations",
  })) {
    const isPage = (request: Request) =>
      isPageRequest(request) && request.url().includes(`/${path}?`);
    // The router closes the stream itself once it has read the page.
    const fetched = Promise.race([
      page.waitForEvent("requestfinished", isPage),
      page.waitForEvent("requestfailed", isPage),
    ]);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).hover();
    await fetched;
    page.on("request", recordRequest);
    hoveredMs[name] = await follow(page, name);
    page.off("request", recordRequest);
  }
  page.on("request", recordRequest);
  const pages = ["Exceptions", ...Object.keys(hoveredMs)];
  const visitedMs: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of pages)
      visitedMs[name] = [...(visitedMs[name] ?? []), await follow(page, name)];
  }
  console.table(
    Object.entries(visitedMs).map(([name, times]) => ({
      page: name,
      hovered_ms: hoveredMs[name]?.toFixed(0),
      median_ms: median(times).toFixed(0),
      best_ms: Math.min(...times).toFixed(0),
    })),
  );
  expect(requests).toEqual([]);
});

/** Whether a request loads a page that opens now, as opposed to a prefetch. */
function isPageRequest(request: Request): boolean {
  return request.url().includes("_rsc=") && !("next-router-prefetch" in request.headers());
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
