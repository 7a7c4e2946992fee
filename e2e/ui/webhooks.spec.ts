import { readFileSync } from "node:fs";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { PASSWORD, sql, uniqueName } from "../fixtures.ts";
import { type Behaviour, Receiver } from "../webhooks/receiver.ts";
import { type Registered, SECRET, Subscriber } from "../webhooks/subscriber.ts";
import { beSignedIn, rowOf, setVisibility, tabTo } from "./person.ts";
import { complaintsOf, expectSound } from "./soundness.ts";

const SECRET_AT = "[data-secret]";

let receiver: Receiver;
let subscriber: Subscriber;

test.beforeAll(async () => {
  receiver = await Receiver.start();
});
test.afterAll(() => receiver.stop());

test.beforeEach(async ({ context }) => {
  subscriber = await Subscriber.create(receiver);
  await beSignedIn(context, { [subscriber.tenant]: ["tenant_admin"] });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
});

const list = () => `/${subscriber.tenant}/webhooks`;
const pageOf = ({ id }: { id: string }) => `${list()}/${id}`;

function dialog(page: Page): Locator {
  return page.getByRole("dialog").last();
}

function panelOf(page: Page, kind: string): Locator {
  return page.getByRole("dialog", { name: `Delivery of ${kind}` });
}

function copiedText(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** Registers a webhook in the page at a path of its own, and gives its secret. */
async function register(page: Page, path: string): Promise<string> {
  await page.getByRole("button", { name: "Register webhook" }).click();
  await dialog(page).getByLabel("URL").fill(receiver.url(path));
  await dialog(page).getByRole("button", { name: "Copy the secret" }).click();
  const secret = await copiedText(page);
  await receiver.behave(path, { secrets: [secret], strict: true });
  await dialog(page).getByRole("button", { name: "Register webhook" }).click();
  await expect(page).toHaveURL(/\/webhooks\/whk_\w+$/);
  return secret;
}

/** A webhook one of whose deliveries is in this receiver's way. */
async function tried(behaviour: Behaviour): Promise<Registered> {
  const webhook = await subscriber.register(["exception.created", "exception.updated"], behaviour);
  const event = await subscriber.emit("exception.created", { note: "first" });
  await webhook.becomes(event, ["delivered", "retrying", "failed"]);
  return webhook;
}

test("from an empty page to a test event that arrives, is verified, and is sent again by hand", async ({ page }) => {
  await page.goto(list());
  await expect(page.getByRole("heading", { name: "No webhooks yet" })).toBeVisible();
  const path = `/${uniqueName("hook")}`;
  const secret = await register(page, path);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

  await expect(page.getByRole("heading", { name: receiver.url(path) })).toBeVisible();
  await expect(page.getByRole("heading", { name: "No deliveries yet" })).toBeVisible();
  await page.getByRole("button", { name: "Send a test event" }).click();
  const panel = panelOf(page, "webhook.test");
  await expect(panel.getByText("Delivered").first()).toBeVisible();
  const [first] = await receiver.gets(path, 1);
  expect(first?.verified).toEqual([secret]);
  await expect(panel.getByRole("region", { name: "Payload" })).toContainText('"message": "It works."');
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
  const [, second] = await receiver.gets(path, 2);
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.verified).toEqual([secret]);
  await expect(panel.getByText("2. Sent again by hand")).toBeVisible();
  await expect(panel.getByRole("list").getByText("Accepted")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await expect(rowOf(page, "webhook.test")).toContainText("Delivered");
  await expect(page.getByText("2 attempts, 0 failed").first()).toBeVisible();
  await page.getByRole("link", { name: "Webhooks" }).last().click();
  await expect(rowOf(page, receiver.url(path))).toContainText("Healthy");
  await expect(rowOf(page, receiver.url(path))).toContainText("100 %");
});

test("a secret is in no HTML of the server, and after registering nowhere: page, storage, history, cookies, later answers", async ({
  page,
  context,
}) => {
  const html = await (await page.request.get(`${list()}?new=true`)).text();
  expect(html).toContain("No webhooks yet");
  expect(html).not.toMatch(/whsec_\w/);

  await page.goto(`${list()}?new=true`);
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
  await dialog(page).getByLabel("URL").fill(receiver.url(path));
  const secret = (await page.locator(SECRET_AT).textContent()) ?? "";
  await dialog(page).getByLabel("I've stored it").check();
  await dialog(page).getByRole("button", { name: "Register webhook" }).click();
  await expect(page.getByText("No deliveries yet")).toBeVisible();

  const left = () =>
    page.evaluate(() => {
      const fields = [...document.querySelectorAll("input, textarea")].map((field) => (field as HTMLInputElement).value);
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
  await expect(rowOf(page, receiver.url(path))).toBeVisible();
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await left()).not.toContain(secret);
  expect(JSON.stringify(await context.cookies())).not.toContain(secret);
  expect(seen.join("\n")).toContain(receiver.url(path));
  expect(seen.join("\n")).not.toContain(secret);
});

test("the form says at each field what is wrong, also what only the server knows", async ({ page }) => {
  await page.goto(list());
  await page.getByRole("button", { name: "Register webhook" }).click();
  const form = dialog(page);
  const send = form.getByRole("button", { name: "Register webhook" });
  await expect(form.getByLabel("URL")).toBeFocused();
  await form.getByLabel("All of SLA").uncheck();
  await send.click();
  await expect(form.getByText("Enter your receiver's URL.")).toBeVisible();
  await expect(form.getByText("Copy the secret, or confirm you've stored it")).toBeVisible();
  await expect(form.getByRole("checkbox", { name: "exception.created" })).toHaveAttribute("aria-invalid", "true");
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
  const { items } = await subscriber.call<{ items: { events: string[] }[] }>("GET", "/v1/webhooks");
  expect(items.map(({ events }) => events)).toEqual([["exception.created"]]);
});

test("a lost answer is asked for again and gives one webhook; two clicks are one", async ({ page }) => {
  await page.goto(list());
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
  await form.getByLabel("URL").fill(receiver.url(`/${uniqueName("hook")}`));
  await form.getByLabel("I've stored it").check();
  await form.getByRole("button", { name: "Register webhook" }).dblclick();
  await expect(form.getByText("Trying again is safe")).toBeVisible();
  await expect(form.getByLabel("URL")).toBeDisabled();
  expect(posted).toBe(1);
  await form.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("No deliveries yet")).toBeVisible();
  expect((await subscriber.call<{ items: unknown[] }>("GET", "/v1/webhooks")).items).toHaveLength(1);
});

test("a receiver that answers 410 is disabled; enabling says why, and sends again what was missed", async ({ page }) => {
  const webhook = await tried({ status: 410 });
  const missed = await subscriber.emit("exception.updated", { note: "second" });
  await page.goto(list());
  await expect(rowOf(page, receiver.url(webhook.path))).toContainText("Disabled");
  await rowOf(page, receiver.url(webhook.path)).getByRole("link").click();
  await expect(page.getByText("at the receiver's request")).toBeVisible();
  await expect(page.getByText("The receiver answered 410 Gone: it wants no more events.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Send a test event" })).toBeHidden();

  await webhook.behave({ strict: true });
  await page.getByRole("button", { name: "Enable" }).click();
  await expect(dialog(page).getByLabel("Send again what it missed: 2 deliveries")).toBeChecked();
  await dialog(page).getByRole("button", { name: "Enable and send 2" }).click();
  await expect(page.getByText("2 deliveries sent again.")).toBeVisible();
  const got = await webhook.gets(3);
  expect(got.slice(1).map(({ headers }) => headers["webhook-id"])).toContain(missed);
  await expect(page.getByText("Delivered", { exact: true })).toHaveCount(2);
  await expect(page.getByText("at the receiver's request")).toBeHidden();
});

test("who disables a webhook says why; what it misses is counted before it is sent again", async ({ page }) => {
  const webhook = await tried({});
  await page.goto(pageOf(webhook));
  await choose(page, "Disable");
  await dialog(page).getByLabel("Reason").fill("The receiver moves.");
  await dialog(page).getByRole("button", { name: "Disable webhook" }).click();
  await expect(page.getByText(/^Disabled .* by ada\./)).toBeVisible();
  await expect(page.getByText("The receiver moves.")).toBeVisible();
  for (const note of ["one", "two", "three"]) await subscriber.emit("exception.created", { note });
  await expect(page.getByRole("row").filter({ hasText: "Failed" })).toHaveCount(3);
  await page.getByRole("button", { name: "Enable" }).click();
  await dialog(page).getByLabel("Send again what it missed: 3 deliveries").uncheck();
  await dialog(page).getByRole("button", { name: "Enable webhook" }).click();
  await expect(page.getByText("It receives new events from now on.")).toBeVisible();
  expect(webhook.received).toHaveLength(1);

  await page.getByRole("button", { name: "Recover" }).click();
  await expect(dialog(page).getByText(/3 deliveries missed since/)).toBeVisible();
  await dialog(page).getByText("Custom", { exact: true }).click();
  await dialog(page).getByLabel("Time (UTC)").fill("2099-01-01T00:00");
  await expect(dialog(page).getByText(/0 deliveries missed since/)).toBeVisible();
  await dialog(page).getByRole("button", { name: "Nothing to recover" }).click();
  await expect(dialog(page).getByLabel("Time (UTC)")).toBeVisible();
  await dialog(page).getByText("1 h", { exact: true }).click();
  await dialog(page).getByRole("button", { name: "Send 3 deliveries" }).click();
  await expect(page.getByText("3 deliveries sent again")).toBeVisible();
  await webhook.gets(4);
  await expect(page.getByText("Delivered", { exact: true })).toHaveCount(4);
});

test("during a rotation both secrets sign and the time left is shown; whoever kept the old one is told apart", async ({ page }) => {
  const webhook = await tried({ strict: true });
  await page.goto(pageOf(webhook));
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
  await expect(page.getByText(/^Every attempt has failed since .*: stale secret\.$/)).toBeVisible();
  await page.goto(list());
  await expect(rowOf(page, receiver.url(webhook.path))).toContainText("Stale secret");
});

test("a failed attempt says what went wrong, what to do, and when the next try is; one can try at once", async ({ page }) => {
  const webhook = await tried({ status: 503, headers: { "Retry-After": "3600" }, body: '{"error":"try later"}' });
  await page.goto(pageOf(webhook));
  await expect(rowOf(page, "exception.created")).toContainText(/Retrying.*503.*in (59 min|1 h)/s);
  await rowOf(page, "exception.created").getByRole("link").click();
  const panel = panelOf(page, "exception.created");
  await expect(panel.getByText(/^Next attempt in (59 min|1 h)/)).toBeVisible();
  await expect(panel.getByText("The receiver responded with 503.")).toBeVisible();
  await expect(panel.getByText("Only a 2xx counts as delivered.")).toBeVisible();
  await panel.getByText("Response", { exact: true }).click();
  await expect(panel.getByRole("region", { name: "Response body" })).toHaveText('{\n  "error": "try later"\n}');
  await expect(panel.getByRole("region", { name: "Response headers" })).toContainText("retry-after: 3600");
  await webhook.behave({});
  await panel.getByRole("button", { name: "Retry now" }).click();
  await expect(panel.getByText("Delivered").first()).toBeVisible();
});

test("what a receiver answers is shown as text, and does nothing", async ({ page }) => {
  const body = '<img src="x" onerror="document.title=1"></pre><script>document.title=1</script> \u202egnp.exe';
  const webhook = await tried({ body, headers: { "content-type": "text/html" } });
  await page.goto(pageOf(webhook));
  await rowOf(page, "exception.created").getByRole("link").click();
  const panel = panelOf(page, "exception.created");
  await panel.getByText("Response", { exact: true }).click();
  await expect(panel.getByRole("region", { name: "Response body" })).toHaveText(body.replace("\u202e", "\\u202e"));
  await expect(panel.locator("img, script")).toHaveCount(0);
  await expect(page).toHaveTitle(/^Webhook/);
});

test("deliveries are filtered in the address, found by the webhook-id of a receiver's log, and come in pages", async ({ page }) => {
  const webhook = await tried({});
  await webhook.behave({ status: 500 });
  const failing = await subscriber.emit("exception.updated");
  await webhook.becomes(failing, ["retrying"]);
  await page.goto(pageOf(webhook));
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

  await webhook.behave({});
  await sql(
    "insert into events (tenant_id, type, data) select $1, 'exception.created', jsonb_build_object('n', n) from generate_series(1, 70) n",
    [subscriber.tenant],
  );
  await expect(page.getByRole("row")).toHaveCount(51);
  await page.getByRole("row").last().scrollIntoViewIfNeeded();
  await expect(page.getByRole("row")).toHaveCount(73);
});

test("deliveries appear by themselves, rest while the tab is hidden, and catch up", async ({ page }) => {
  const webhook = await tried({});
  await page.goto(pageOf(webhook));
  await expect(page.getByRole("row")).toHaveCount(2);
  await subscriber.emit("exception.created", { note: "live" });
  await expect(page.getByRole("row")).toHaveCount(3);
  await expect(page.getByText("Delivered", { exact: true })).toHaveCount(2);
  await setVisibility(page, "hidden");
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes("/v1/")) asked += 1;
  });
  await subscriber.emit("exception.created", { note: "meanwhile" });
  await expect(page.getByText(/Updated (7|8|9) s ago/)).toBeVisible();
  expect(asked).toBe(0);
  await setVisibility(page, "visible");
  await expect(page.getByRole("row")).toHaveCount(4);
});

test("a webhook is edited, and deleting says what will happen", async ({ page }) => {
  const webhook = await tried({});
  await page.goto(pageOf(webhook));
  await page.getByRole("button", { name: "Edit" }).click();
  await dialog(page).getByLabel("Description").fill("Pages the desk");
  await dialog(page).getByLabel("All of SLA").check();
  await dialog(page).getByLabel("URL").fill("http://hooks.example.com/");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page).getByText("Use https: events aren't sent unencrypted.")).toBeVisible();
  await dialog(page)
    .getByLabel("URL")
    .fill(receiver.url(`${webhook.path}-moved`));
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: `${webhook.path}-moved` })).toBeVisible();
  await expect(page.getByText("Pages the desk")).toBeVisible();
  expect(await webhook.get()).toMatchObject({
    description: "Pages the desk",
    events: ["exception.sla.at_risk", "exception.sla.breached", "exception.created", "exception.updated"],
  });

  await choose(page, "Delete");
  await expect(dialog(page)).toContainText("Its signing secret is destroyed and its delivery log is no longer available.");
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("button", { name: "More actions" })).toBeFocused();
  await choose(page, "Delete");
  await dialog(page).getByRole("button", { name: "Delete webhook" }).click();
  await expect(page.getByRole("heading", { name: "No webhooks yet" })).toBeVisible();
  await expect(page).toHaveURL(list());
  await page.goBack();
  await expect(page.getByText("There is no such webhook.")).toBeVisible();
});

test("the snippets are the files that are tested, loaded when they are looked at", async ({ page }) => {
  const webhook = await tried({});
  const scripts: Promise<string>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") scripts.push(response.text().catch(() => ""));
  });
  await page.goto(pageOf(webhook));
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
    await expect.poll(() => copiedText(page)).toBe(readFileSync(new URL(`../../docs/webhooks/${file}`, import.meta.url), "utf8"));
  }
});

test("by keyboard alone: sign in, register, send a test, read it, rotate, disable and delete", async ({ page, context }) => {
  test.setTimeout(120_000);
  await context.clearCookies();
  const { keyboard } = page;
  const path = `/${uniqueName("hook")}`;
  const press = async (target: Locator, key = "Enter") => {
    await tabTo(page, target);
    await keyboard.press(key);
  };
  const pick = async (action: string) => {
    await press(page.getByRole("button", { name: "More actions" }));
    await expect(page.getByRole("menuitem").first()).toBeFocused();
    const names = await page.getByRole("menuitem").allTextContents();
    for (let down = names.indexOf(action); down > 0; down -= 1) await keyboard.press("ArrowDown");
    await expect(page.getByRole("menuitem", { name: action })).toBeFocused();
    await keyboard.press("Enter");
  };
  await page.goto("/acme/webhooks");
  await tabTo(page, page.getByLabel("Email"));
  await keyboard.type("ada@acme.example");
  await keyboard.press("Tab");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  await expect(page).toHaveURL("/acme/webhooks");

  await press(page.getByRole("button", { name: "Register webhook" }));
  await expect(dialog(page).getByLabel("URL")).toBeFocused();
  await keyboard.type(receiver.url(path));
  await press(dialog(page).getByRole("checkbox", { name: "exception.created" }), "Space");
  await press(dialog(page).getByRole("button", { name: "Copy the secret" }));
  const secret = await copiedText(page);
  await receiver.behave(path, { secrets: [secret], strict: true });
  await press(dialog(page).getByRole("button", { name: "Register webhook" }));
  await press(page.getByRole("button", { name: "Send a test event" }));
  const panel = panelOf(page, "webhook.test");
  await expect(panel.getByText("Delivered").first()).toBeVisible();
  expect((await receiver.gets(path, 1))[0]?.verified).toEqual([secret]);
  await press(panel.getByText("Response", { exact: true }));
  await tabTo(page, panel.getByRole("region", { name: "Response body" }));
  await tabTo(page, panel.getByRole("region", { name: "Payload" }));
  await keyboard.press("Escape");
  await expect(panel).toBeHidden();

  await press(rowOf(page, "webhook.test").getByRole("link"));
  await expect(panel.getByText("Delivered").first()).toBeVisible();
  await keyboard.press("Escape");
  await expect(rowOf(page, "webhook.test").getByRole("link")).toBeFocused();

  await pick("Rotate signing secret");
  await press(dialog(page).getByLabel("I've stored it"), "Space");
  await keyboard.press("Tab");
  await expect(dialog(page).getByRole("radio", { name: "24 h" })).toBeFocused();
  await keyboard.press("ArrowRight");
  await keyboard.press("Enter");
  await expect(page.getByText(/^Two secrets sign until .* \(in 6 d 23 h/)).toBeVisible();
  await expect(page.getByRole("button", { name: "More actions" })).toBeFocused();

  await pick("Disable");
  await expect(dialog(page).getByLabel("Reason")).toBeFocused();
  await press(dialog(page).getByRole("button", { name: "Disable webhook" }));
  await expect(page.getByText(/^Disabled .* by ada\./)).toBeVisible();
  await press(page.getByRole("button", { name: "Enable" }));
  await press(dialog(page).getByRole("button", { name: "Enable webhook" }));
  await expect(page.getByText(/^Disabled .* by ada\./)).toBeHidden();
  await pick("Delete");
  await press(dialog(page).getByRole("button", { name: "Delete webhook" }));
  await expect(page).toHaveURL("/acme/webhooks");
  await expect(page.getByRole("link", { name: receiver.url(path) })).toBeHidden();
});

for (const role of ["tenant_analyst", "tenant_lead"] as const) {
  test(`a ${role} is told who manages webhooks, and sees none`, async ({ page, context }) => {
    const webhook = await tried({});
    await beSignedIn(context, { [subscriber.tenant]: [role] });
    await page.goto(`/${subscriber.tenant}/exceptions`);
    await page.getByRole("link", { name: "Webhooks" }).click();
    await expect(page.getByRole("heading", { name: "Admins manage webhooks" })).toBeVisible();
    await expect(page.getByText("Ask a tenant admin")).toBeVisible();
    expect(await page.content()).not.toContain(webhook.path);
    await page.goto(pageOf(webhook));
    await expect(page.getByRole("heading", { name: "Admins manage webhooks" })).toBeVisible();
    expect(await page.content()).not.toContain(webhook.path);
  });
}

test("who stops being an admin meanwhile is told so", async ({ page, context }) => {
  const webhook = await tried({});
  await page.goto(pageOf(webhook));
  await expect(page.getByRole("row")).toHaveCount(2);
  await beSignedIn(context, { [subscriber.tenant]: ["tenant_analyst"] });
  await expect(page.getByRole("heading", { name: "Your role doesn't allow this" })).toBeVisible();
  await expect(page.getByText(webhook.path)).toBeHidden();
});

test("another tenant's webhook, and one that never was, are no page", async ({ page }) => {
  const stranger = await (await Subscriber.create(receiver)).register(["webhook.test"]);
  for (const id of [stranger.id, "whk_00000000000000000000", "nonsense"]) {
    await page.goto(pageOf({ id }));
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  }
});

test("an error shows its request id, and trying again works", async ({ page }) => {
  const webhook = await tried({});
  await page.goto(list());
  await expect(rowOf(page, receiver.url(webhook.path))).toBeVisible();
  const problem = { code: "internal", detail: "Something went wrong on our side.", request_id: "req_0123456789abcdef" };
  const fail = () => page.route("**/v1/**", (route) => route.fulfill({ status: 500, json: problem }));
  await fail();
  await page.getByText("Active", { exact: true }).click();
  await expect(page.getByText("Request req_0123456789abcdef")).toBeVisible();
  await page.unroute("**/v1/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await rowOf(page, receiver.url(webhook.path)).getByRole("link").click();
  await expect(page.getByRole("row")).toHaveCount(2);

  await fail();
  await rowOf(page, "exception.created").getByRole("link").click();
  await expect(page.getByRole("dialog").getByText("Request req_0123456789abcdef")).toBeVisible();
  await page.unroute("**/v1/**");
  await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
  await expect(panelOf(page, "exception.created").getByText("Delivered").first()).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [360, 1440]) {
    test(`list, page, panel and every dialog, ${colorScheme}, ${width} px: nothing that axe finds, no complaint, no sideways scrolling`, async ({
      page,
    }) => {
      test.setTimeout(180_000);
      const complaints = complaintsOf(page);
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const inspect = (state: string) => expectSound(page, width, state);

      const failing = await tried({ status: 401, body: '{"error":"bad signature"}' });
      const gone = await tried({ status: 410 });
      await tried({});
      await page.goto(list());
      const items = page.getByRole("table").getByRole("link");
      await expect(items).toHaveCount(3);
      await inspect("list");
      await page.getByText("Active", { exact: true }).click();
      await expect(items).toHaveCount(2);
      await page.getByRole("button", { name: "Register webhook" }).click();
      await dialog(page).getByRole("button", { name: "Register webhook" }).click();
      await inspect("register, with errors");
      await dialog(page).getByText("Use my own").click();
      await inspect("register, own secret");

      await page.goto(pageOf(failing));
      await expect(page.getByText(/^Every attempt has failed since/)).toBeVisible();
      await inspect("page of a failing webhook");
      await rowOf(page, "exception.created").getByRole("link").last().click();
      const panel = panelOf(page, "exception.created");
      await panel.getByText("Response", { exact: true }).first().click();
      await panel.getByText("Request headers", { exact: true }).first().click();
      await inspect("delivery");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Edit" }).click();
      await dialog(page).getByLabel("URL").fill("nowhere");
      await dialog(page).getByRole("button", { name: "Save" }).click();
      await expect(dialog(page).getByText("Must be a complete URL")).toBeVisible();
      await inspect("edit, with errors");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "More actions" }).click();
      await inspect("more actions");
      await page.keyboard.press("Escape");
      for (const [action, shown] of [
        ["Rotate signing secret", "Both secrets sign until"],
        ["Recover missed deliveries", "missed since"],
        ["Disable", "Reason"],
        ["Delete", "Its signing secret is destroyed"],
      ] as const) {
        await choose(page, action);
        await expect(dialog(page).getByText(shown).first()).toBeVisible();
        await inspect(action);
        await page.keyboard.press("Escape");
      }
      await page.getByRole("button", { name: "Verify signatures" }).click();
      await expect(dialog(page).getByText("timingSafeEqual").first()).toBeVisible();
      await inspect("verify");

      await page.goto(pageOf(gone));
      await page.getByRole("button", { name: "Enable" }).click();
      await expect(
        dialog(page)
          .getByText(/\d deliver/)
          .first(),
      ).toBeVisible();
      await inspect("enable");
      expect(complaints.filter((text) => !text.includes("the server responded with a status of 400"))).toEqual([]);
    });
  }
}
