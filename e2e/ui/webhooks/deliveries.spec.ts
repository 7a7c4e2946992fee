import { expect } from "@playwright/test";
import { sql } from "../../fixtures.ts";
import { rowOf, setVisibility } from "../person.ts";
import { panelOf, test } from "./hooks.ts";

test("a failed attempt shows cause, fix and next retry, and can be retried", async ({
  page,
  hooks,
}) => {
  const webhook = await hooks.registerAndDeliver({
    status: 503,
    headers: { "Retry-After": "3600" },
    body: '{"error":"try later"}',
  });
  await page.goto(hooks.pageOf(webhook));
  await expect(rowOf(page, "exception.created")).toContainText(/Retrying.*503.*in (59 min|1 h)/s);
  await rowOf(page, "exception.created").getByRole("link").click();
  const panel = panelOf(page, "exception.created");
  await expect(panel.getByText(/^Next attempt in (59 min|1 h)/)).toBeVisible();
  await expect(panel.getByText("The receiver responded with 503.")).toBeVisible();
  await expect(panel.getByText("Only a 2xx counts as delivered.")).toBeVisible();
  await expect(panel.getByRole("region", { name: "Response body" })).toHaveText(
    '{\n  "error": "try later"\n}',
  );
  await expect(panel.getByRole("region", { name: "Response headers" })).toContainText(
    "retry-after: 3600",
  );
  await webhook.behave({});
  await panel.getByRole("button", { name: "Retry now" }).click();
  await expect(panel.getByText("Delivered").first()).toBeVisible();
});

test("a receiver's response is shown as inert text", async ({ page, hooks }) => {
  const body =
    '<img src="x" onerror="document.title=1"></pre><script>document.title=1</script> \u202egnp.exe';
  const webhook = await hooks.registerAndDeliver({
    body,
    headers: { "content-type": "text/html" },
  });
  await page.goto(hooks.pageOf(webhook));
  await rowOf(page, "exception.created").getByRole("link").click();
  const panel = panelOf(page, "exception.created");
  await panel.getByText("Response", { exact: true }).click();
  await expect(panel.getByRole("region", { name: "Response body" })).toHaveText(
    body.replace("\u202e", "\\u202e"),
  );
  await expect(panel.locator("img, script")).toHaveCount(0);
  await expect(page).toHaveTitle(/^Webhook/);
});

test("deliveries are filtered by URL, found by webhook-id, and paginated", async ({
  page,
  hooks,
}) => {
  const webhook = await hooks.registerAndDeliver({});
  await webhook.behave({ status: 500 });
  const failing = await hooks.subscriber.emit("exception.updated");
  await webhook.becomes(failing, ["retrying"]);
  await page.goto(hooks.pageOf(webhook));
  await page.getByRole("button", { name: "Filter by state" }).click();
  await page.getByRole("menuitemradio", { name: "Retrying" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Filter by event" }).click();
  await page.getByRole("menuitemradio", { name: "exception.created" }).click();
  await expect(page.getByRole("heading", { name: "No matching deliveries" })).toBeVisible();
  await page.reload();
  await expect(page).toHaveURL(/status=retrying&type=exception\.created/);
  await expect(page.getByRole("heading", { name: "No matching deliveries" })).toBeVisible();
  await page.getByRole("search").getByRole("button", { name: "Clear filters" }).click();
  await expect(page.getByRole("row")).toHaveCount(3);
  await page.getByRole("searchbox").fill(failing.slice(0, -1));
  await expect(page.getByRole("row")).toHaveCount(3);
  await page.getByRole("searchbox").fill(failing);
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page).toHaveURL(new RegExp(`event_id=${failing}`));
  await page.getByRole("searchbox").fill("");
  await expect(page.getByRole("row")).toHaveCount(3);
  const chart = page.getByRole("slider", { name: /^Attempts and response times/ });
  await chart.press("Home");
  await chart.press("Enter");
  await expect(page.getByRole("heading", { name: "No matching deliveries" })).toBeVisible();
  await expect(page).toHaveURL(/since=.*&until=/);
  await page.getByRole("button", { name: /^Created from .*, remove this filter$/ }).click();
  await expect(page.getByRole("row")).toHaveCount(3);

  await webhook.behave({});
  await sql(
    `insert into events (tenant_id, type, data) select $1, 'exception.created',
       jsonb_build_object('n', n) from generate_series(1, 70) n`,
    [hooks.subscriber.tenant],
  );
  await expect(page.getByRole("row")).toHaveCount(51);
  await page.getByRole("row").last().scrollIntoViewIfNeeded();
  await expect(page.getByRole("row")).toHaveCount(73);
});

test("in the list of all deliveries, R resends the open one and K moves up", async ({
  page,
  hooks,
}) => {
  const webhook = await hooks.registerAndDeliver({
    status: 503,
    headers: { "Retry-After": "3600" },
  });
  await page.goto(`/${hooks.subscriber.tenant}/requests?view=deliveries`);
  await rowOf(page, "exception.created").getByRole("link").click();
  const panel = panelOf(page, "exception.created");
  await expect(panel.getByText("The receiver responded with 503.")).toBeVisible();
  await expect(panel.getByRole("link", { name: webhook.path })).toBeVisible();
  await webhook.behave({});
  await page.keyboard.press("r");
  await expect(panel.getByText("Delivered").first()).toBeVisible();
  await hooks.subscriber.emit("exception.updated");
  await expect(rowOf(page, "exception.updated")).toBeVisible();
  await page.keyboard.press("k");
  await expect(panelOf(page, "exception.updated")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Requests & deliveries");
});

test("deliveries appear live, pause while the tab is hidden, and catch up", async ({
  page,
  hooks,
}) => {
  const webhook = await hooks.registerAndDeliver({});
  await page.goto(hooks.pageOf(webhook));
  await expect(page.getByRole("row")).toHaveCount(2);
  await hooks.subscriber.emit("exception.created", { note: "live" });
  await expect(page.getByRole("row")).toHaveCount(3);
  await expect(page.getByText("Delivered", { exact: true })).toHaveCount(2);
  // The page counts seconds once its requests have been answered.
  await expect(page.getByText(/Updated [12] s ago/)).toBeVisible();
  await setVisibility(page, "hidden");
  let requests = 0;
  page.on("request", (request) => {
    if (request.url().includes("/v1/")) requests += 1;
  });
  await hooks.subscriber.emit("exception.created", { note: "while open" });
  await expect(page.getByText(/Updated ([7-9]|\d\d) s ago|Updated \d+ min ago/)).toBeVisible();
  expect(requests).toBe(0);
  await setVisibility(page, "visible");
  await expect(page.getByRole("row")).toHaveCount(4);
});

test("an error shows its request id, and trying again works", async ({ page, hooks }) => {
  const webhook = await hooks.registerAndDeliver({});
  await page.goto(hooks.list);
  await expect(rowOf(page, hooks.receiver.url(webhook.path))).toBeVisible();
  const problem = {
    code: "internal",
    detail: "Something went wrong on our side.",
    request_id: "req_0123456789abcdef",
  };
  const fail = () =>
    page.route("**/v1/**", (route) => route.fulfill({ status: 500, json: problem }));
  await fail();
  await page.getByText("Active", { exact: true }).click();
  await expect(page.getByText("Request req_0123456789abcdef")).toBeVisible();
  await page.unroute("**/v1/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await rowOf(page, hooks.receiver.url(webhook.path)).getByRole("link").click();
  await expect(page.getByRole("row")).toHaveCount(2);

  await fail();
  await rowOf(page, "exception.created").getByRole("link").click();
  await expect(page.getByRole("dialog").getByText("Request req_0123456789abcdef")).toBeVisible();
  await page.unroute("**/v1/**");
  await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
  await expect(panelOf(page, "exception.created").getByText("Delivered").first()).toBeVisible();
});
