import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { createTenant, sql } from "../fixtures.ts";
import { beSignedIn, rowOf } from "./person.ts";
import { test } from "./test.ts";

let tenant: string;

test.beforeEach(async ({ context }) => {
  tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
});

const card = (page: Page) => page.getByRole("region", { name: "Import", exact: true });

async function choose(page: Page, name: string, content: string): Promise<void> {
  await page
    .getByLabel("Choose a file")
    .setInputFiles({ name, mimeType: "", buffer: Buffer.from(content) });
  await expect(card(page)).toContainText(name);
}

async function downloadFrom(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button }).click(),
  ]);
  return {
    name: download.suggestedFilename(),
    text: await readFile(await download.path(), "utf8"),
  };
}

function csvOf(rows: number): string {
  return [
    "title,severity",
    ...Array.from({ length: rows }, (_, at) => `Line ${at + 2},low`),
    "",
  ].join("\n");
}

async function imported(): Promise<number> {
  const [row] = await sql<{ n: number }>(
    "select count(*)::int as n from public.exceptions where tenant_id = $1",
    [tenant],
  );
  return row?.n ?? 0;
}

test("the board's CSV template can be imported, and its exception is on the board", async ({
  page,
}) => {
  await page.goto(`/${tenant}/exceptions`);
  await page.getByRole("link", { name: "Import a file" }).click();
  const { name, text } = await downloadFrom(page, "CSV template");
  await choose(page, name, text);
  await card(page).getByRole("button", { name: "Start import" }).click();
  await expect(card(page).getByRole("status")).toHaveText("Finished");
  await page.getByRole("link", { name: "View on the board" }).click();
  await expect(rowOf(page, "Payout 4711 has no bank line")).toContainText("€1,250.00");
});

test("rejected rows are listed by number and reason, and can be downloaded to fix", async ({
  page,
}) => {
  await page.goto(`/${tenant}/exceptions/import`);
  const lines = [
    "title,severity,amount_minor",
    "Good,low,",
    '"Two\nlines",urgent,',
    "=1+1,low,5",
    "Fine,high,",
  ];
  await choose(page, "feed.csv", lines.join("\r\n"));
  await card(page).getByRole("button", { name: "Start import" }).click();
  await expect(card(page).getByRole("status")).toHaveText("Finished");
  const refused = page.getByRole("region", { name: "Rejected rows" }).getByRole("row");
  await expect(refused).toHaveText([
    /Line/,
    /^4.*severity.*Must be one of critical/,
    /^5.*currency.*must be sent together/,
  ]);
  expect(await imported()).toBe(2);

  const reasons = await downloadFrom(page, "Reasons");
  expect(reasons.text).toContain(
    '\r\n5,currency,amount_minor and currency must be sent together.,"\'=1+1,low,5"\r\n',
  );
  const records = await downloadFrom(page, "Rows to fix");
  expect(records.name).toBe("feed-rejected.csv");
  expect(
    records.text.startsWith('title,severity,amount_minor\n"Two\nlines",urgent,\n=1+1,low,5\n'),
  ).toBe(true);
});

test("an import shows its progress, can be paused and resumed, and imports nothing twice", async ({
  page,
}) => {
  await page.goto(`/${tenant}/exceptions/import`);
  const content = csvOf(4500);
  await choose(page, "feed.csv", content);
  const keys: string[] = [];
  // The third part is imported, but its response is lost because of the pause.
  await page.route("**/v1/exceptions/import", async (route) => {
    keys.push(route.request().headers()["idempotency-key"] ?? "");
    if (keys.length !== 3) return route.continue();
    await route.fetch();
    await card(page).getByRole("button", { name: "Pause" }).click();
    await route.abort().catch(() => {});
  });
  await card(page).getByRole("button", { name: "Start import" }).click();
  await expect(card(page).getByRole("status")).toHaveText(/^Paused/);
  await expect(card(page)).toContainText("Imported2,000");
  const bar = card(page).getByRole("progressbar", { name: "Import" });
  const share = await bar.evaluate((element: HTMLProgressElement) => element.position);
  expect(share).toBeGreaterThan(0.4);
  expect(share).toBeLessThan(0.5);
  expect(await imported()).toBe(3000);

  await card(page).getByRole("button", { name: "Resume" }).click();
  await expect(card(page).getByRole("status")).toHaveText("Finished");
  expect(keys).toHaveLength(6);
  expect(keys[3]).toBe(keys[2]);
  expect(new Set(keys).size).toBe(5);
  expect(await imported()).toBe(4500);
  await expect(card(page)).toContainText("Already imported1,000");
});

test("a file that is chosen again in a later visit resumes where it stopped", async ({ page }) => {
  await page.goto(`/${tenant}/exceptions/import`);
  await choose(page, "feed.csv", csvOf(2500));
  let calls = 0;
  const problem = { code: "invalid_request", detail: "Not now.", request_id: "req_0123456789" };
  await page.route("**/v1/exceptions/import", (route) =>
    ++calls === 2 ? route.fulfill({ status: 400, json: problem }) : route.continue(),
  );
  await card(page).getByRole("button", { name: "Start import" }).click();
  await expect(card(page)).toContainText("Request req_0123456789");
  await expect(card(page).getByRole("status")).toHaveText(/^Interrupted/);
  expect(await imported()).toBe(1000);

  page.on("dialog", (dialog) => dialog.accept());
  await page.reload();
  await choose(page, "feed.csv", csvOf(2500));
  await card(page).getByRole("button", { name: "Start import" }).click();
  await expect(card(page).getByRole("status")).toHaveText("Finished");
  await expect(card(page)).toContainText("Imported1,500");
  await expect(card(page)).toContainText("Already imported1,000");
  expect(await imported()).toBe(2500);
});

test("an unreachable server is retried automatically", async ({ page }) => {
  await page.goto(`/${tenant}/exceptions/import`);
  await choose(
    page,
    "feed.ndjson",
    '{"title":"One","severity":"low"}\n{"title":"Two","severity":"low"}\n',
  );
  let calls = 0;
  await page.route("**/v1/exceptions/import", async (route) => {
    if (++calls > 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await card(page).getByRole("button", { name: "Start import" }).click();
  await expect(card(page).getByRole("status")).toHaveText("Finished");
  expect(await imported()).toBe(2);
});

test("a file that isn't UTF-8 text is refused with that reason", async ({ page }) => {
  await page.goto(`/${tenant}/exceptions/import`);
  await page.getByLabel("Choose a file").setInputFiles({
    name: "feed.csv",
    mimeType: "text/csv",
    buffer: Buffer.from([0x74, 0x0a, 0xff, 0xfe, 0x0a]),
  });
  await card(page).getByRole("button", { name: "Start import" }).click();
  await expect(card(page)).toContainText("The file isn't UTF-8.");
  expect(await imported()).toBe(0);
});
