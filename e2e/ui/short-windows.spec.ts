import { expect, type Page } from "@playwright/test";
import { beSignedIn } from "./person.ts";
import { settled } from "./soundness.ts";
import { test } from "./walk.ts";

/** A window of 1440 × 900 at 200 % zoom. */
const ZOOMED = { width: 720, height: 450 };
const MIN_ROWS = 5;

const LISTS = [
  "exceptions",
  "lines",
  "sources",
  "reconciliations",
  "api-keys",
  "requests",
  "security-events",
];

/** The number of rows, of average height, that fit between the first row and the window's end. */
async function rowsThatFit(page: Page): Promise<number> {
  const rows = page.getByRole("main").locator("tbody tr").filter({ visible: true });
  await expect(rows.first()).toBeVisible();
  const boxes = (await Promise.all((await rows.all()).map((row) => row.boundingBox()))).flatMap(
    (box) => (box ? [box] : []),
  );
  const [first] = boxes;
  if (!first) return 0;
  const height = boxes.reduce((sum, box) => sum + box.height, 0) / boxes.length;
  return Math.floor((ZOOMED.height - first.y) / height);
}

async function expectRows(page: Page): Promise<void> {
  await settled(page);
  expect(await rowsThatFit(page)).toBeGreaterThanOrEqual(MIN_ROWS);
}

test.beforeEach(async ({ page, context, world: { world } }) => {
  await beSignedIn(context, { [world]: ["tenant_admin"], acme: ["tenant_admin"] });
  await page.setViewportSize(ZOOMED);
});

for (const list of LISTS)
  test(`${list} shows five rows in a 1440 × 900 window at 200 % zoom`, async ({ page, world }) => {
    await page.goto(`/${world.world}/${list}`);
    await expectRows(page);
  });

// Only people of the seed data have accounts, so other tenants have no members.
test("members shows five rows in a 1440 × 900 window at 200 % zoom", async ({ page }) => {
  await page.goto("/acme/members");
  await expectRows(page);
});

test("matches shows five rows in a 1440 × 900 window at 200 % zoom", async ({ page, world }) => {
  await page.goto(`/${world.world}/reconciliations`);
  await page.getByRole("link", { name: /^Commerzbank, October/ }).click();
  await page.getByRole("link", { name: "Matches", exact: true }).click();
  await page.waitForURL(/\/matches/);
  await expectRows(page);
});
