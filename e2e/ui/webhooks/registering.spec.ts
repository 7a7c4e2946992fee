import { expect } from "@playwright/test";
import { uniqueName } from "../../fixtures.ts";
import { rowOf } from "../person.ts";
import { copiedText, dialog, panelOf, test } from "./hooks.ts";

const SECRET_AT = "[data-secret]";

test("a first webhook receives a test event that is verified and resent", async ({
  page,
  hooks,
}) => {
  await page.goto(hooks.list);
  await expect(page.getByRole("heading", { name: "No webhooks yet" })).toBeVisible();
  const path = `/${uniqueName("hook")}`;
  const secret = await hooks.register(page, path);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

  await expect(page.getByRole("heading", { name: hooks.receiver.url(path) })).toBeVisible();
  await expect(page.getByRole("heading", { name: "No deliveries yet" })).toBeVisible();
  await page.getByRole("button", { name: "Send a test event" }).click();
  const panel = panelOf(page, "webhook.test");
  await expect(panel.getByText("Delivered").first()).toBeVisible();
  const [first] = await hooks.receiver.gets(path, 1);
  expect(first?.verified).toEqual([secret]);
  await expect(panel.getByRole("region", { name: "Payload" })).toContainText(
    '"message": "It works."',
  );
  await expect(panel.getByText(first?.headers["webhook-id"] ?? "none")).toBeVisible();
  await panel.getByRole("button", { name: "Copy the payload" }).click();
  expect(JSON.parse(await copiedText(page))).toEqual(JSON.parse(first?.body ?? ""));
  await panel.getByText("Response", { exact: true }).click();
  await expect(panel.getByRole("region", { name: "Response body" })).toHaveText("ok");
  await panel.getByText("Request headers", { exact: true }).click();
  await expect(panel.getByRole("region", { name: "Request headers" })).toContainText(
    `webhook-timestamp: ${first?.headers["webhook-timestamp"]}`,
  );

  await panel.getByRole("button", { name: "Resend" }).click();
  const [, second] = await hooks.receiver.gets(path, 2);
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.verified).toEqual([secret]);
  await expect(panel.getByText("2. Resent manually")).toBeVisible();
  await expect(panel.getByRole("list").getByText("Accepted")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await expect(rowOf(page, "webhook.test")).toContainText("Delivered");
  await expect(page.getByText("2 attempts, 0 failed").first()).toBeVisible();
  await page.getByRole("link", { name: "Webhooks" }).last().click();
  await expect(rowOf(page, hooks.receiver.url(path))).toContainText("Healthy");
  await expect(rowOf(page, hooks.receiver.url(path))).toContainText("100 %");
});

test("a secret is never in the server's HTML, and nowhere after registering", async ({
  page,
  context,
  hooks,
}) => {
  const html = await (await page.request.get(`${hooks.list}?new=true`)).text();
  expect(html).toContain("No webhooks yet");
  expect(html).not.toMatch(/whsec_\w/);

  await page.goto(`${hooks.list}?new=true`);
  await expect(page.locator(SECRET_AT)).toBeVisible();
  const seen: string[] = [];
  page.on("response", (response) => {
    seen.push(response.url());
    response.text().then(
      (text) => seen.push(text),
      () => {},
    );
  });
  const path = `/${uniqueName("hook")}`;
  await dialog(page).getByLabel("URL").fill(hooks.receiver.url(path));
  const secret = (await page.locator(SECRET_AT).textContent()) ?? "";
  await dialog(page).getByLabel("I've stored it").check();
  await dialog(page).getByRole("button", { name: "Register webhook" }).click();
  await expect(page.getByText("No deliveries yet")).toBeVisible();

  const left = () =>
    page.evaluate(() => {
      const fields = [...document.querySelectorAll("input, textarea")].map(
        (field) => (field as HTMLInputElement).value,
      );
      return JSON.stringify([
        document.documentElement.outerHTML,
        fields,
        { ...localStorage },
        { ...sessionStorage },
        history.state,
        location.href,
      ]);
    });
  expect(await left()).toContain("No deliveries yet");
  expect(await left()).not.toContain(secret);
  await page.goBack();
  await expect(rowOf(page, hooks.receiver.url(path))).toBeVisible();
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await left()).not.toContain(secret);
  expect(JSON.stringify(await context.cookies())).not.toContain(secret);
  await expect.poll(() => seen.join("\n")).toContain(hooks.receiver.url(path));
  expect(seen.join("\n")).not.toContain(secret);
});

test("the form shows each error at its field, including errors that only the server finds", async ({
  page,
  hooks,
}) => {
  await page.goto(hooks.list);
  await page.getByRole("button", { name: "Register webhook" }).click();
  const form = dialog(page);
  const send = form.getByRole("button", { name: "Register webhook" });
  await expect(form.getByLabel("URL")).toBeFocused();
  await form.getByLabel("All of SLA").uncheck();
  await send.click();
  await expect(form.getByText("Enter your receiver's URL.")).toBeVisible();
  await expect(form.getByText("Copy the secret, or confirm you've stored it")).toBeVisible();
  await expect(form.getByRole("checkbox", { name: "exception.created" })).toHaveAttribute(
    "aria-invalid",
    "true",
  );
  await expect(form.getByLabel("URL")).toBeFocused();

  await form.getByLabel("URL").fill("hooks.example.com");
  await form.getByRole("checkbox", { name: "exception.created" }).check();
  await form.getByLabel("I've stored it").check();
  await send.click();
  await expect(form.getByText("Must be a complete URL, for example")).toBeVisible();
  await form.getByLabel("URL").fill("https://10.1.2.3/hook");
  await send.click();
  await expect(form.getByText("10.1.2.3 isn't a public address.")).toBeVisible();
  await expect(form.getByLabel("URL")).toBeFocused();
  await form.getByLabel("URL").fill("https://user:word@hooks.example.com/");
  await expect(form.getByText("isn't a public address")).toBeHidden();
  await send.click();
  await expect(form.getByText("Must not contain a user name or password")).toBeVisible();

  await form.getByLabel("URL").fill("https://hooks.example.com/tieout");
  await form.getByText("Use my own").click();
  await form.getByLabel("Secret", { exact: true }).fill("short");
  await send.click();
  await expect(form.getByText("Must be 8 to 256 characters")).toBeVisible();
  await form.getByLabel("Secret", { exact: true }).fill("Schlüssel, 16 bytes and more");
  await send.click();
  await expect(page.getByRole("heading", { name: "hooks.example.com/tieout" })).toBeVisible();
  const { items } = await hooks.subscriber.call<{ items: { events: string[] }[] }>(
    "GET",
    "/v1/webhooks",
  );
  expect(items.map(({ events }) => events)).toEqual([["exception.created"]]);
});

test("a retry after a lost response and a double click each create one webhook", async ({
  page,
  hooks,
}) => {
  await page.goto(hooks.list);
  let posted = 0;
  await page.route("**/v1/webhooks", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    posted += 1;
    if (posted > 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Register webhook" }).click();
  const form = dialog(page);
  await form.getByLabel("URL").fill(hooks.receiver.url(`/${uniqueName("hook")}`));
  await form.getByLabel("I've stored it").check();
  await form.getByRole("button", { name: "Register webhook" }).dblclick();
  await expect(form.getByText("Trying again is safe")).toBeVisible();
  await expect(form.getByLabel("URL")).toBeDisabled();
  expect(posted).toBe(1);
  await form.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("No deliveries yet")).toBeVisible();
  expect(
    (await hooks.subscriber.call<{ items: unknown[] }>("GET", "/v1/webhooks")).items,
  ).toHaveLength(1);
});
