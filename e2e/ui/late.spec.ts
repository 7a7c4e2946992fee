/**
 * On a slow network or a busy machine, a key still acts on the object it was pressed for, and a
 * late response changes nothing else.
 */
import { expect, type Page } from "@playwright/test";
import { api, createTenant, sql, userToken } from "../fixtures.ts";
import { beSignedIn, report, reportMany, rowOf, scrollToEnd } from "./person.ts";
import { test } from "./test.ts";

let tenant: string;

test.beforeEach(async ({ context }) => {
  tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
});

const panel = (page: Page, title: string) => page.getByRole("dialog", { name: title, exact: true });
const comment = (page: Page) => page.getByRole("textbox", { name: "Comment" });

/** Holds back requests of this method, or any, until the returned function is called. */
async function hold(page: Page, url: string | RegExp, method?: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (method && route.request().method() !== method) return route.fallback();
    await promise;
    // A request that was cancelled in the meantime goes nowhere.
    await route.continue().catch(() => {});
  });
  return resolve;
}

/** The board, with an exception open next to it. */
async function openBoard(page: Page, title: string): Promise<void> {
  await page.goto(`/${tenant}/exceptions`);
  await rowOf(page, title).getByRole("link").click();
  await expect(panel(page, title).getByRole("button", { name: "Resolve" })).toBeVisible();
}

async function assignees(): Promise<string> {
  const rows = await sql<{ assigned_to: string | null }>(
    "select assigned_to from public.exceptions where tenant_id = $1 order by title",
    [tenant],
  );
  return rows.map(({ assigned_to }) => assigned_to ?? "nobody").join(" ");
}

test("keys typed after opening a dialog reach the dialog, even if its script loads late", async ({
  page,
}) => {
  await report(tenant, { title: "Payout", due_in_minutes: 300 });
  await page.goto(`/${tenant}/exceptions`);
  const release = await hold(page, "**/_next/static/chunks/**");
  await rowOf(page, "Payout").getByRole("link").focus();
  await page.keyboard.press("p");
  await page.keyboard.type("custom");
  release();
  await expect(page.getByRole("dialog", { name: /^Pause/ }).getByLabel("Reason")).toHaveValue(
    "custom",
  );
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New exception" }).click();
  await page.keyboard.type("pram");
  await expect(page.getByRole("dialog", { name: "New exception" }).getByLabel("Title")).toHaveValue(
    "pram",
  );
  expect(await assignees()).toBe("nobody");
});

test("a picker's field has the focus as soon as its click or key press has been handled", async ({
  page,
}) => {
  await report(tenant, { title: "Payout", due_in_minutes: 300 });
  await openBoard(page, "Payout");
  const opener = panel(page, "Payout").getByRole("button", { name: /^Assignee/ });
  expect(
    await opener.evaluate(
      (button: HTMLElement) => [button.click(), document.activeElement?.tagName][1],
    ),
  ).toBe("INPUT");
  await page.keyboard.press("Escape");
  const after = await page.evaluate(async () => {
    document.activeElement?.dispatchEvent(
      new KeyboardEvent("keydown", { key: "a", bubbles: true }),
    );
    await Promise.resolve();
    return document.activeElement?.tagName;
  });
  expect(after).toBe("INPUT");
});

test("Enter in a picker waits for the results of the typed text", async ({ page }) => {
  await report(tenant, { title: "A", due_in_minutes: 300 });
  await report(tenant, { title: "B", due_in_minutes: 301, assigned_to: "user:anton" });
  await openBoard(page, "A");
  const release = await hold(page, /\/v1\/members\?/);
  await page.keyboard.press("a");
  await expect(page.getByRole("combobox", { name: "Assignee" })).toBeFocused();
  await page.keyboard.type("an");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Loading members…")).toBeVisible();
  release();
  await expect.poll(assignees).toBe("user:anton user:anton");
});

test("a late response to a comment or an undo doesn't change the form that is open by then", async ({
  page,
}) => {
  await report(tenant, { title: "A", due_in_minutes: 300 });
  await report(tenant, { title: "B", due_in_minutes: 301 });
  await openBoard(page, "A");
  await page.keyboard.press("m");
  await expect.poll(assignees).toBe("user:ada nobody");
  const answerUndo = await hold(page, /\/v1\/exceptions\/exc_\w+$/, "PATCH");
  const answerComment = await hold(page, /\/comments$/, "POST");
  await page.keyboard.press("u");
  await page.keyboard.press("c");
  await comment(page).fill("Is it theirs?");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("button", { name: "Sending…" })).toBeVisible();
  await rowOf(page, "B").getByRole("link").click();
  await expect(panel(page, "B").getByRole("button", { name: "Resolve" })).toBeVisible();
  await page.keyboard.press("c");
  await comment(page).fill("Ask");

  const commented = page.waitForResponse(
    (response) => response.url().endsWith("/comments") && response.request().method() === "POST",
  );
  answerComment();
  await commented;
  await page.keyboard.type(" them");
  answerUndo();
  await expect(page.getByText("Assignment undone").first()).toBeVisible();
  await page.keyboard.type(" more");
  await expect(comment(page)).toHaveValue("Ask them more");
  await expect(panel(page, "B")).toBeVisible();
});

test("a comment that fails after another exception was opened is reported, and its text is kept", async ({
  page,
}) => {
  await report(tenant, { title: "A", due_in_minutes: 300 });
  await report(tenant, { title: "B", due_in_minutes: 301 });
  await openBoard(page, "A");
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/\/comments$/, async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    await promise;
    await route.abort();
  });
  await page.keyboard.press("c");
  await comment(page).fill("Is it theirs?");
  await page.keyboard.press("Control+Enter");
  await rowOf(page, "B").getByRole("link").click();
  await expect(panel(page, "B")).toBeVisible();
  resolve();
  await expect(page.getByText("Couldn't comment").first()).toBeVisible();
  await rowOf(page, "A").getByRole("link").click();
  await expect(comment(page)).toHaveValue("Is it theirs?");
});

test("an undo whose response was lost is retried, and recognized as done", async ({ page }) => {
  const { id } = await report(tenant, { title: "Payout", due_in_minutes: 300 });
  await openBoard(page, "Payout");
  await page.keyboard.press("m");
  await expect.poll(assignees).toBe("user:ada");
  await expect(page.getByText("Assigned to ada").first()).toBeVisible();
  await page.route(
    `**/v1/exceptions/${id}`,
    async (route) => {
      // The request reaches the server, but its response is lost.
      const bearer = await userToken(tenant, ["tenant_analyst"]);
      await api("PATCH", `/v1/exceptions/${id}`, {
        bearer,
        tenant,
        body: route.request().postDataJSON(),
      });
      await route.abort();
    },
    { times: 1 },
  );
  await page.keyboard.press("u");
  await expect(page.getByText("Couldn't undo").first()).toBeVisible();
  await page.keyboard.press("u");
  await expect(page.getByText("Assignment undone").first()).toBeVisible();
  await expect(panel(page, "Payout").getByRole("button", { name: "Undo" })).toBeDisabled();
  expect(await assignees()).toBe("nobody");
});

test("closing an exception while more rows load neither brings it back nor loses those rows", async ({
  page,
}) => {
  await reportMany(tenant, 60);
  await openBoard(page, "Item 1");
  await page.keyboard.press("r");
  await expect(panel(page, "Item 1").getByLabel("Resolution")).toBeFocused();
  // A poll for changes would remove the row again.
  await page.route("**/v1/exceptions/sla/changes?*", (route) => route.abort());
  // Closes it as early as possible: before the page has rendered that it is loading.
  await page.evaluate(() => {
    const originalFetch = window.fetch;
    window.fetch = (input, init) => {
      if (String(input).includes("cursor="))
        document.querySelector<HTMLElement>("form [value=resolved]")?.click();
      return originalFetch(input, init);
    };
  });
  await scrollToEnd(page, "All 59 shown");
});
