import { readFileSync } from "node:fs";
import { expect } from "@playwright/test";
import { SECRET } from "../../webhooks/subscriber.ts";
import { beSignedIn, rowOf } from "../person.ts";
import { choose, copiedText, dialog, panelOf, test } from "./hooks.ts";

test("a receiver that returns 410 is disabled; enabling shows why and resends missed events", async ({
  page,
  hooks,
}) => {
  const webhook = await hooks.registerAndDeliver({ status: 410 });
  const missed = await hooks.subscriber.emit("exception.updated", { note: "second" });
  await webhook.becomes(missed, ["failed"]);
  await page.goto(hooks.list);
  await expect(rowOf(page, hooks.receiver.url(webhook.path))).toContainText("Disabled");
  await rowOf(page, hooks.receiver.url(webhook.path)).getByRole("link").click();
  await expect(page.getByText("at the receiver's request")).toBeVisible();
  await expect(
    page.getByText("The receiver responded with 410 Gone: it wants no more events."),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: "Send a test event" })).toBeHidden();

  await webhook.behave({ strict: true });
  await page.getByRole("button", { name: "Enable" }).click();
  await expect(dialog(page).getByLabel("Recover missed deliveries: 2 deliveries")).toBeChecked();
  await dialog(page).getByRole("button", { name: "Enable and recover 2" }).click();
  await expect(page.getByText(/^Resending 2 deliveries to /)).toBeVisible();
  const got = await webhook.gets(3);
  expect(got.slice(1).map(({ headers }) => headers["webhook-id"])).toContain(missed);
  await expect(page.getByText("Delivered", { exact: true })).toHaveCount(2);
  await expect(page.getByText("at the receiver's request")).toBeHidden();
});

test("disabling a webhook needs a reason, and missed events can be resent", async ({
  page,
  hooks,
}) => {
  const webhook = await hooks.registerAndDeliver({});
  await page.goto(hooks.pageOf(webhook));
  await choose(page, "Disable");
  await dialog(page).getByLabel("Reason").fill("The receiver moves.");
  await dialog(page).getByRole("button", { name: "Disable webhook" }).click();
  await expect(page.getByText(/^Disabled .* by ada\./)).toBeVisible();
  await expect(page.getByText("The receiver moves.")).toBeVisible();
  for (const note of ["one", "two", "three"])
    await hooks.subscriber.emit("exception.created", { note });
  await expect(page.getByRole("row").filter({ hasText: "Failed" })).toHaveCount(3);
  // The webhook and its deliveries are loaded separately.
  await page.reload();
  await page.getByRole("button", { name: "Enable" }).click();
  await dialog(page).getByLabel("Recover missed deliveries: 3 deliveries").uncheck();
  await dialog(page).getByRole("button", { name: "Enable webhook" }).click();
  await expect(page.getByText(/receives new events from now on\.$/)).toBeVisible();
  expect(webhook.received).toHaveLength(1);

  await page.getByRole("button", { name: "Recover" }).click();
  await expect(dialog(page).getByText(/3 deliveries missed since/)).toBeVisible();
  await dialog(page).getByText("Custom", { exact: true }).click();
  await dialog(page).getByLabel("Time (UTC)").fill("2099-01-01T00:00");
  await expect(dialog(page).getByText(/0 deliveries missed since/)).toBeVisible();
  await dialog(page).getByRole("button", { name: "Nothing to recover" }).click();
  await expect(dialog(page).getByLabel("Time (UTC)")).toBeVisible();
  await dialog(page).getByText("1 h", { exact: true }).click();
  await dialog(page).getByRole("button", { name: "Recover 3 deliveries" }).click();
  await expect(page.getByText("Resending 3 deliveries")).toBeVisible();
  await webhook.gets(4);
  await expect(page.getByText("Delivered", { exact: true })).toHaveCount(4);
});

test("during a rotation both secrets sign, and stale receivers are identified", async ({
  page,
  hooks,
}) => {
  const webhook = await hooks.registerAndDeliver({ strict: true });
  await page.goto(hooks.pageOf(webhook));
  await choose(page, "Rotate signing secret");
  await dialog(page).getByRole("button", { name: "Rotate secret" }).click();
  await expect(dialog(page).getByText("It can't be shown again")).toBeVisible();
  await dialog(page).getByRole("button", { name: "Copy the secret" }).click();
  const next = await copiedText(page);
  await dialog(page).getByText("1 h", { exact: true }).click();
  await dialog(page).getByRole("button", { name: "Rotate secret" }).click();
  await expect(page.getByText(/^Two secrets sign until .* \(in (1 h|59 min.*)\)/)).toBeVisible();
  expect(await page.content()).not.toContain(next);

  await webhook.behave({ secrets: [SECRET, next], strict: true });
  await page.getByRole("button", { name: "Send a test event" }).click();
  const [, overlapping] = await webhook.gets(2);
  expect(overlapping?.verified).toEqual([SECRET, next]);
  await expect(panelOf(page, "webhook.test").getByText("Delivered").first()).toBeVisible();
  await page.keyboard.press("Escape");

  await choose(page, "Rotate signing secret");
  await dialog(page).getByText("Now", { exact: true }).click();
  await expect(dialog(page).getByText("Update it before you continue")).toBeVisible();
  await dialog(page).getByLabel("I've stored it").check();
  await dialog(page).getByRole("button", { name: "Rotate secret" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await page.getByRole("button", { name: "Send a test event" }).click();
  const panel = panelOf(page, "webhook.test");
  await expect(panel.getByText("Stale secret")).toBeVisible();
  await expect(panel.getByText("Update the receiver's signing secret")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(
    page.getByText(/^Every delivery since .* failed with a stale secret\.$/),
  ).toBeVisible();
  await page.goto(hooks.list);
  await expect(rowOf(page, hooks.receiver.url(webhook.path))).toContainText("Stale secret");
});

test("a webhook can be edited, and deleting it explains the consequences", async ({
  page,
  hooks,
}) => {
  const webhook = await hooks.registerAndDeliver({});
  await page.goto(hooks.pageOf(webhook));
  await page.getByRole("button", { name: "Edit" }).click();
  await dialog(page).getByLabel("Description").fill("Pages the desk");
  await dialog(page).getByLabel("All of SLA").check();
  await dialog(page).getByLabel("URL").fill("http://hooks.example.com/");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page).getByText("Use https: events aren't sent unencrypted.")).toBeVisible();
  await dialog(page)
    .getByLabel("URL")
    .fill(hooks.receiver.url(`${webhook.path}-moved`));
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: `${webhook.path}-moved` })).toBeVisible();
  await expect(page.getByText("Pages the desk")).toBeVisible();
  expect(await webhook.get()).toMatchObject({
    description: "Pages the desk",
    events: [
      "exception.sla.at_risk",
      "exception.sla.breached",
      "exception.created",
      "exception.updated",
    ],
  });

  await choose(page, "Delete");
  await expect(dialog(page)).toContainText(
    "Its signing secret is destroyed and its delivery log is no longer available.",
  );
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("button", { name: "More actions" })).toBeFocused();
  await choose(page, "Delete");
  await dialog(page).getByRole("button", { name: "Delete webhook" }).click();
  await expect(page.getByRole("heading", { name: "No webhooks yet" })).toBeVisible();
  await expect(page).toHaveURL(hooks.list);
  await page.goBack();
  await expect(page.getByText("There is no such webhook.")).toBeVisible();
});

test("the snippets are the tested files, loaded on demand", async ({ page, hooks }) => {
  const webhook = await hooks.registerAndDeliver({});
  const scripts: Promise<string>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() === "script")
      scripts.push(response.text().catch(() => ""));
  });
  await page.goto(hooks.pageOf(webhook));
  await expect(page.getByRole("row")).toHaveCount(2);
  expect((await Promise.all(scripts)).join()).not.toContain("hmac.compare_digest");
  await page.getByRole("button", { name: "Verify signatures" }).click();
  for (const [language, file] of [
    ["Node", "verify.mjs"],
    ["Python", "verify.py"],
    ["Go", "verify.go"],
    ["Ruby", "verify.rb"],
    ["PHP", "verify.php"],
    ["Java", "Verify.java"],
    ["openssl", "verify.sh"],
  ] as const) {
    await dialog(page).getByText(language, { exact: true }).click();
    await dialog(page)
      .getByRole("button", { name: `Copy ${file}` })
      .click();
    await expect
      .poll(() => copiedText(page))
      .toBe(readFileSync(new URL(`../../../docs/webhooks/${file}`, import.meta.url), "utf8"));
  }
});

test("a person who is no longer an admin sees why an action is refused", async ({
  page,
  context,
  hooks,
}) => {
  const webhook = await hooks.registerAndDeliver({});
  await page.goto(hooks.pageOf(webhook));
  await expect(page.getByRole("row")).toHaveCount(2);
  await beSignedIn(context, { [hooks.subscriber.tenant]: ["tenant_analyst"] });
  await expect(page.getByRole("heading", { name: "Your role doesn't allow this" })).toBeVisible();
  await expect(page.getByText(webhook.path)).toHaveCount(0);
});
