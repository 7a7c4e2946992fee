import { expect, type Locator, type Page } from "@playwright/test";
import { addLines, createSource, createTeam, linesOf, type Team } from "../api/lines/ledgers.ts";
import { api } from "../fixtures.ts";
import { beSignedIn, rowOf, scrollToEnd, tabTo } from "./person.ts";
import { test } from "./test.ts";

let team: Team;

test.beforeEach(async ({ context }) => {
  team = await createTeam();
  await beSignedIn(context, { [team.tenant]: ["tenant_lead"] });
});

const FILE = [
  "Datum;Name;Verwendungszweck;Betrag",
  "03/04/2026;Kunde 17 GmbH;RG-2026-4711;1.250,00",
  "03/04/2026;Commerzbank AG;Gebühr;-12,50",
  "05/04/2026;Kaffeebar;Kaffee;-2,80",
  "05/04/2026;Kaffeebar;Kaffee;-2,8x",
].join("\r\n");

const panel = (page: Page) => page.getByRole("dialog");
const count = async (id: string) => (await linesOf(team, { source_id: id })).length;

test("a file is imported into a new source and undone by keyboard alone", async ({ page }) => {
  const press = async (name: string, within: Page | Locator = page) => {
    await tabTo(
      page,
      within.getByRole("button", { name, exact: true }).filter({ visible: true }).first(),
    );
    await page.keyboard.press("Enter");
  };
  await page.goto(`/${team.tenant}/sources`);
  await press("New source");
  await expect(panel(page).getByLabel("Name")).toBeFocused();
  await page.keyboard.type("Current account");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Current account" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "No imports yet" })).toBeVisible();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  await tabTo(page, page.getByRole("link", { name: "Import a file" }).first());
  await page.keyboard.press("Enter");

  const chooser = page.waitForEvent("filechooser");
  await tabTo(page, page.getByLabel("Choose a file"));
  await page.keyboard.press("Space");
  await (await chooser).setFiles({
    name: "april.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(FILE),
  });
  await expect(page.getByRole("heading", { name: "Check" })).toBeFocused();

  // The dates can be read in two ways: the import waits until a person says which.
  const questions = page.getByRole("group", { name: /can be read as more than one day/ });
  await expect(page.getByRole("button", { name: "Import file" })).toBeDisabled();
  await tabTo(page, questions.getByRole("radio").first());
  await page.keyboard.press("Space");
  await expect(questions.getByRole("radio", { checked: true })).toHaveAccessibleName(
    /^DD\/MM\/YYYY → 3 Apr 2026/,
  );
  const preview = page.getByRole("region", { name: "Preview" });
  await expect(preview.getByRole("status")).toHaveText("3 lines · 1 rejected");
  await expect(preview.getByRole("row", { name: /Kunde 17 GmbH/ })).toContainText("€1,250.00");
  await expect(preview.getByRole("row", { name: /Commerzbank AG/ })).toContainText("Money out");
  await expect(preview.getByRole("row", { name: /^5 amount/ })).toContainText('Found "-2,8x"');
  expect(await count(id)).toBe(0);

  await press("Import 3 lines");
  await expect(page.getByRole("heading", { name: "Import", exact: true })).toBeFocused();
  await expect(page.getByText("3 lines imported from april.csv")).toBeVisible();
  await expect(
    page.getByRole("link", { name: "compare this source with another one" }),
  ).toBeVisible();
  expect(await count(id)).toBe(3);
  await press("Undo import");
  await expect(panel(page)).toContainText("This removes the 3 lines it added");
  await press("Undo import", panel(page));
  await expect(page.getByText("The import of april.csv was undone")).toBeVisible();
  expect(await count(id)).toBe(0);

  // The answers are stored with the source: the next file of the same kind causes no questions.
  await press("Import another file");
  await page
    .getByLabel("Choose a file")
    .setInputFiles({ name: "may.csv", mimeType: "text/csv", buffer: Buffer.from(FILE) });
  await expect(preview.getByRole("status")).toHaveText("3 lines · 1 rejected");
  await expect(questions).toBeHidden();
});

test("a dropped file's upload shows its progress, and cancelling stores nothing", async ({
  page,
}) => {
  const { id } = await createSource(team, { name: "Current account" });
  const { id: ledger } = await createSource(team, { name: "Ledger" });
  await api("POST", "/v1/reconciliations", {
    bearer: team.admin,
    tenant: team.tenant,
    body: {
      name: "October",
      period_start: "2026-10-01",
      period_end: "2026-10-31",
      left_source_id: id,
      right_source_id: ledger,
    },
  });
  await page.goto(`/${team.tenant}/sources/${id}/import`);
  const dropped = await page.evaluateHandle((text) => {
    const files = new DataTransfer();
    files.items.add(new File([text], "dropped.csv", { type: "text/csv" }));
    return files;
  }, "Date,Payee,Amount\n2026-10-05,Shop,12.50\n");
  await page.getByRole("region", { name: "File" }).dispatchEvent("drop", { dataTransfer: dropped });
  await expect(page.getByRole("row", { name: /Shop/ })).toContainText("€12.50");
  await page.route(/imports\?file_name/, () => {});
  await page.getByRole("button", { name: "Import 1 line" }).click();
  await expect(page.getByRole("progressbar", { name: "Uploading" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel upload" }).click();
  await page.unroute(/imports\?file_name/);
  await expect(page.getByRole("row", { name: /Shop/ })).toBeVisible();
  expect(await count(id)).toBe(0);
  await page.getByRole("button", { name: "Import 1 line" }).click();
  await expect(page.getByText("1 line imported from dropped.csv")).toBeVisible();
  await page.reload();
  await expect(page.getByText("1 line imported from dropped.csv")).toBeVisible();
  await page.getByRole("link", { name: "October" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "October" })).toBeVisible();
});

test("a JSON file's fields are mapped by path, previewed as lines, and imported", async ({
  page,
}) => {
  const { id } = await createSource(team, { name: "Processor" });
  await page.goto(`/${team.tenant}/sources/${id}/import`);
  const payout = (nth: number) => ({
    id: `po_${nth}`,
    money: { total: `${nth}.50`, iso: "EUR" },
    at: `2026-10-0${nth}`,
    memo: `Payout ${nth}`,
  });
  const file = JSON.stringify({ data: { payouts: [payout(1), payout(2)] } });
  await page.getByLabel("Choose a file").setInputFiles({
    name: "payouts.json",
    mimeType: "application/json",
    buffer: Buffer.from(file),
  });
  await page.getByText("Where the fields are").click();
  const paths = {
    "List of lines": "data.payouts",
    Amount: "money.total",
    Currency: "money.iso",
    "Value date": "at",
    Description: "memo",
    "Line ID": "id",
  };
  for (const [field, path] of Object.entries(paths)) {
    await page.getByLabel(field, { exact: true }).fill(path);
    await page.keyboard.press("Enter");
  }
  const preview = page.getByRole("region", { name: "Preview" });
  await expect(preview.getByRole("status")).toHaveText("2 lines");
  await expect(preview.getByRole("row", { name: /Payout 2/ })).toContainText("€2.50");
  await page.getByRole("button", { name: "Import 2 lines" }).click();
  await expect(page.getByText("2 lines imported from payouts.json")).toBeVisible();
  expect(await count(id)).toBe(2);
});

test("a payment processor's file is mapped by gross and fee, and its lines show their fees", async ({
  page,
}) => {
  const { id } = await createSource(team, { name: "Processor", kind: "processor" });
  await page.goto(`/${team.tenant}/sources/${id}/import`);
  const file =
    "Date,Gross,Fee,Net,Reference\n2026-10-05,100.00,-2.90,97.10,RG-1\n2026-10-06,40.00,0.00,40.00,RG-2\n";
  await page
    .getByLabel("Choose a file")
    .setInputFiles({ name: "payouts.csv", mimeType: "text/csv", buffer: Buffer.from(file) });
  const preview = page.getByRole("region", { name: "Preview" });
  await expect(preview.getByRole("status")).toHaveText("2 lines");
  await expect(page.getByLabel("Fee", { exact: true })).toHaveValue("Fee");
  await expect(page.getByLabel("Fees are written")).toHaveValue("minus");
  await expect(preview.getByRole("row", { name: /RG-1/ })).toContainText("Fee €2.90");
  await expect(preview.getByRole("row", { name: /RG-2/ })).not.toContainText("Fee");
  await page.getByRole("button", { name: "Import 2 lines" }).click();
  await expect(page.getByText("2 lines imported from payouts.csv")).toBeVisible();
  const [, sold] = await linesOf(team, { source_id: id });
  expect(sold).toMatchObject({ amount_minor: 10_000, fee_minor: 290 });
  await page.goto(`/${team.tenant}/lines?line=${sold?.id}`);
  await expect(panel(page)).toContainText("€97.10");
});

test("a line is found by reference, amount and day, with a lasting URL", async ({ page }) => {
  const bank = await createSource(team, { name: "Current account" });
  const other = await createSource(team, { name: "Ledger", kind: "ledger" });
  const line = (nth: number) => ({
    external_id: `txn_${nth}`,
    amount: `${nth}.50`,
    value_date: `2026-10-${String(1 + (nth % 28)).padStart(2, "0")}`,
    reference: `RG-2026-${4700 + nth}`,
    counterparty: `Kunde ${nth}`,
    details: { channel: "web" },
  });
  for (const from of [0, 300]) {
    const { status, text } = await addLines(
      team,
      bank.id,
      Array.from({ length: 300 }, (_, at) => line(from + at)),
    );
    expect(status, text).toBe(200);
  }
  await addLines(team, other.id, [line(11)]);

  await page.goto(`/${team.tenant}/lines`);
  await page.getByRole("searchbox", { name: "Search lines" }).fill("RG-2026-4711");
  await expect(page.getByRole("row")).toHaveCount(3);
  await page.getByRole("button", { name: "Filter by Source" }).click();
  await page.getByRole("option", { name: "Current account" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page).toHaveURL(/q=RG-2026-4711/);
  await page.reload();
  await expect(page.getByRole("button", { name: "Source: Current account" })).toBeVisible();
  await rowOf(page, "Kunde 11").getByRole("link").click();
  await expect(panel(page).getByRole("heading", { name: "€11.50" })).toBeVisible();
  await expect(panel(page)).toContainText("txn_11");
  await expect(panel(page)).toContainText("Channelweb");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("button", { name: "Filter by Amount" }).click();
  await expect(page.getByLabel("From (EUR)")).toBeFocused();
  await page.keyboard.type("598.50");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("row")).toHaveCount(3);
  await page.getByRole("button", { name: "Filter by Value date" }).click();
  // The filter applies while typing.
  await page.getByLabel("To", { exact: true }).fill("2026-10-10");
  await expect(page.getByRole("heading", { name: "No matching lines" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear filters" }).last().click();

  // Only rows on or near the screen are in the DOM, even at the end of 601 lines.
  await expect(rowOf(page, "Kunde 27").or(rowOf(page, "Kunde 55")).first()).toBeVisible();
  await scrollToEnd(page, "All 601 shown");
  expect(await page.getByRole("row").count()).toBeLessThan(80);
});

test("a list skips empty pages until one has items or no page is left", async ({ page }) => {
  const bank = await createSource(team, { name: "Current account" });
  await addLines(team, bank.id, [
    { external_id: "txn_1", amount: "1.50", value_date: "2026-10-01", reference: "RG-2026-4711" },
  ]);
  let empty = 0;
  // The server returns empty pages where few of many lines match.
  await page.route(/\/v1\/lines\?.*q=/, async (route) => {
    const url = new URL(route.request().url());
    if (Number(url.searchParams.get("cursor") ?? 0) < 3) {
      empty += 1;
      return route.fulfill({ json: { items: [], next_cursor: `${empty}` } });
    }
    url.searchParams.delete("cursor");
    await route.continue({ url: url.href });
  });
  await page.goto(`/${team.tenant}/lines`);
  const search = page.getByRole("searchbox", { name: "Search lines" });
  await search.fill("RG-2026-4711");
  await expect.poll(() => empty).toBe(3);
  await expect(page.getByRole("row")).toHaveCount(2);
  await search.fill("nothing has this");
  await expect(page.getByRole("heading", { name: "No matching lines" })).toBeVisible();
});
