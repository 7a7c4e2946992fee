import { expect, type Page, test as plain } from "@playwright/test";
import { api, userToken } from "../fixtures.ts";
import { createWorld, type World } from "../views/world.ts";
import { beSignedIn } from "./person.ts";
import { settled } from "./soundness.ts";

/** A window of 1280 × 720 at 200 % zoom. */
const ZOOMED = { width: 640, height: 360 };
const ROWS_MIN = 5;

const LISTS = [
  "acme/exceptions",
  "acme/lines",
  "acme/sources",
  "acme/reconciliations",
  "acme/members",
  ":world/matches",
  "acme/webhooks",
  "acme/api-keys",
  "acme/security-events",
  "acme/requests",
];

const test = plain.extend<object, { world: World }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from the pattern
  world: [async ({}, use) => use(await createWorld()), { scope: "worker", timeout: 300_000 }],
});

/** The matches of the world's October. */
async function matchesOf(tenant: string): Promise<string> {
  const { json } = await api("GET", "/v1/reconciliations", {
    bearer: await userToken(tenant, ["tenant_admin"]),
    tenant,
  });
  const { items } = json as { items: { id: string; name: string }[] };
  const { id } = items.find(({ name }) => name === "Commerzbank, October 2026") ?? {};
  return `${tenant}/reconciliations/${id}/matches`;
}

/** How many rows of the list's height fit below the place where its first row begins. */
async function rowsThatFit(page: Page): Promise<number> {
  const rows = page.getByRole("main").locator("tbody tr, li:has(a)").filter({ visible: true });
  await expect(rows.first()).toBeVisible();
  const boxes = (await Promise.all((await rows.all()).map((row) => row.boundingBox()))).flatMap(
    (box) => (box ? [box] : []),
  );
  const [first] = boxes;
  if (!first) return 0;
  const height = boxes.reduce((sum, box) => sum + box.height, 0) / boxes.length;
  return Math.floor((ZOOMED.height - first.y) / height);
}

for (const path of LISTS)
  test(`${path} shows five rows in a usual window at 200 % zoom`, async ({
    page,
    context,
    world,
  }) => {
    await beSignedIn(context, { acme: ["tenant_admin"], [world.world]: ["tenant_admin"] });
    await page.setViewportSize(ZOOMED);
    await page.goto(`/${path.startsWith(":world") ? await matchesOf(world.world) : path}`);
    await settled(page);
    if (process.env.SCREENSHOTS)
      await page.screenshot({
        path: `${process.env.SCREENSHOTS}/short-${path.replace(/\W/g, "-")}.png`,
      });
    expect(await rowsThatFit(page)).toBeGreaterThanOrEqual(ROWS_MIN);
  });
