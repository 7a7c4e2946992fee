import { expect } from "@playwright/test";
import { beSignedIn, rowOf } from "../person.ts";
import { openPanel, test } from "./admin.ts";

test("the URL contains search and filters, and only the public part of a pasted credential", async ({
  page,
  admin,
}) => {
  const ledger = await admin.create({ name: "Ledger export" });
  const feed = await admin.create({ name: "Bank feed" });
  await admin.call("DELETE", `/${feed.id}`);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`/${admin.tenant}/api-keys`);
  await page.getByRole("searchbox").fill("LEDGER");
  await expect(rowOf(page, "Bank feed")).toBeHidden();
  await expect(page).toHaveURL(/q=LEDGER/);
  await page.getByRole("searchbox").fill(ledger.credential);
  await expect(page.getByRole("searchbox")).toHaveValue(ledger.key_id);
  await expect(page).toHaveURL(new RegExp(`q=${ledger.key_id}$`));
  await expect(rowOf(page, "Ledger export")).toBeVisible();
  expect(requests.join()).not.toContain(ledger.key_secret);

  await page.getByRole("button", { name: "Filter by status" }).click();
  await page.getByRole("menuitemradio", { name: "Revoked" }).click();
  await expect(page.getByRole("heading", { name: "No matching API keys" })).toBeVisible();
  await page.getByRole("searchbox").fill("");
  await expect(rowOf(page, "Bank feed")).toBeVisible();
  await page.reload();
  await expect(page).toHaveURL(/status=revoked/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.getByRole("row")).toHaveCount(3);
});

test("a key that expires soon and one that is due for rotation are marked", async ({
  page,
  admin,
}) => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await admin.create({ name: "Soon", expires_at: inDays(13.5) });
  await admin.create({ name: "Later", expires_at: inDays(15) });
  const aged = await admin.create({ name: "Aged", scopes: ["read:exceptions", "write:webhooks"] });
  await admin.age(aged.id, 91);
  await page.goto(`/${admin.tenant}/api-keys`);
  await expect(rowOf(page, "Soon")).toContainText("Expires soon: 14 days");
  await expect(rowOf(page, "Later")).not.toContainText("soon");
  await expect(rowOf(page, "Aged")).toContainText("Over 90 days old: rotate");
  const panel = await openPanel(page, "Aged");
  await expect(panel.getByText("write (unused for 30 days)")).toBeVisible();
});

test("a person who is no longer an admin sees why an action is refused", async ({
  page,
  context,
  admin,
}) => {
  await admin.create({ name: "Bank feed" });
  await page.goto(`/${admin.tenant}/api-keys`);
  await expect(rowOf(page, "Bank feed")).toBeVisible();
  await beSignedIn(context, { [admin.tenant]: ["tenant_analyst"] });
  await expect(page.getByRole("heading", { name: "Your role doesn't allow this" })).toBeVisible();
});

test("an error shows its request id, and trying again works", async ({ page, admin }) => {
  await admin.create({ name: "Bank feed" });
  await page.goto(`/${admin.tenant}/api-keys`);
  await expect(rowOf(page, "Bank feed")).toBeVisible();
  const problem = {
    code: "internal",
    detail: "Something went wrong on our side.",
    request_id: "req_0123456789abcdef",
  };
  await page.route("**/v1/**", (route) => route.fulfill({ status: 500, json: problem }));
  await page.getByRole("searchbox").fill("bank");
  await expect(page.getByText("Request req_0123456789abcdef")).toBeVisible();
  await page.unroute("**/v1/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(rowOf(page, "Bank feed")).toBeVisible();
});
