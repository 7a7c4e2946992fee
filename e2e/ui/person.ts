/** A person's actions in the browser, and functions that create what they see there. */

import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";
import { creating } from "#e2e/exception-statements.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import type { StoredRecord } from "#lib/records/contract.ts";
import type { Role } from "#lib/wire/access.ts";
import { api, PASSWORD, sql, uniqueName, userToken } from "../fixtures.ts";
import { sessionCookie } from "../sign-in.ts";
import { waitForLoad } from "./test.ts";

const MAX_STOPS = 80;

/** Signs in at the page, as a person does. */
export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await waitForLoad(page);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Signs in, and waits for the page that opens. */
export async function enter(page: Page, email: string, password = PASSWORD): Promise<void> {
  await waitForLoad(page);
  const loaded = page.waitForEvent("load");
  await signIn(page, email, password);
  await loaded;
  await waitForLoad(page);
}

/**
 * Scrolls until the text at the end of a list is visible. Scrolls by script, because a wheel's
 * scrolling can continue during the next click.
 */
export async function scrollToEnd(page: Page, endText: string): Promise<void> {
  const scroll = () =>
    page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await expect(async () => {
    await scroll();
    await expect(page.getByText(endText)).toBeVisible({ timeout: 200 });
  }).toPass();
  await scroll();
}

/** Signs in a person who has no account in the local stack, with more claims if any are given. */
export async function beSignedIn(
  context: BrowserContext,
  tenants: Record<string, Role[]>,
  name = "ada",
  claims: Record<string, unknown> = {},
): Promise<void> {
  const cookie = await sessionCookie({ tenants, name, ...claims });
  const [cookieName = "", value = ""] = cookie.split("=", 2);
  await context.addCookies([
    { name: cookieName, value, domain: "localhost", path: "/", httpOnly: true, sameSite: "Lax" },
  ]);
}

/** Reports an exception over /v1, as a tenant's own system does. */
export async function report(
  tenant: string,
  exception: { title: string; due_in_minutes: number } & Partial<Exception>,
): Promise<Exception> {
  const { due_in_minutes, ...body } = exception;
  const answer = await api("POST", "/v1/exceptions", {
    bearer: await userToken(tenant, ["tenant_lead"], "robot"),
    tenant,
    body: { severity: "high", due_at: minutesFromNow(due_in_minutes), ...body },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.json as Exception;
}

/** Creates a record over /v1, as a tenant's own system does. */
export async function createRecord(
  tenant: string,
  surface: string,
  body: Record<string, unknown>,
): Promise<StoredRecord> {
  const answer = await api("POST", `/v1/${surface}`, {
    bearer: await userToken(tenant, ["tenant_lead"], "robot"),
    tenant,
    body: { idempotencyKey: uniqueName("key"), ...body },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.json as StoredRecord;
}

export async function createReconciliation(
  tenant: string,
  fields: Partial<Reconciliation> & { name: string },
): Promise<Reconciliation> {
  const answer = await api("POST", "/v1/reconciliations", {
    bearer: await userToken(tenant, ["tenant_lead"], "robot"),
    tenant,
    body: {
      period_start: "2026-10-01",
      period_end: "2026-10-31",
      left_source: "stripe.payouts",
      right_source: "bank.statement",
      matched_count: 4977,
      unmatched_count: 17,
      ...fields,
    },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.json as Reconciliation;
}

/** Creates many exceptions at once, due one hour apart, the first in five hours. */
export async function reportMany(
  tenant: string,
  count: number,
  assignee: string | null = null,
): Promise<void> {
  await sql(
    creating(
      `'tenant_id', $1::text, 'title', 'Item ' || i, 'severity', 'medium', 'due_at',
         now() + make_interval(hours => 4 + i), 'created_by', 'system', 'assigned_to', $3::text`,
      `generate_series(1, $2::integer) i`,
    ),
    [tenant, count, assignee],
  );
}

export function minutesFromNow(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString();
}

/** The table row whose link has this text. */
export function rowOf(page: Page, title: string) {
  return page
    .getByRole("row")
    .filter({ has: page.getByRole("link", { name: title, exact: true }) });
}

/** Waits until an element reacts to input, and presses Tab until it has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  await expect
    .poll(() =>
      target.evaluate((element) =>
        Object.keys(element).some((key) => key.startsWith("__reactProps$")),
      ),
    )
    .toBe(true);
  for (let stops = 0; stops < MAX_STOPS; stops += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${target} isn't among the first ${MAX_STOPS} tab stops.`);
}

/** Opens the palette by its keys, once the page reacts to input. */
export async function openPalette(page: Page): Promise<Locator> {
  const field = page.getByRole("combobox", { name: "Search or jump to" });
  await expect(async () => {
    await page.keyboard.press("Control+k");
    await expect(field).toBeFocused({ timeout: 2000 });
  }).toPass();
  return field;
}

/** The color of a design token, as the browser computes it. */
export function tokenColor(
  page: Page,
  attributes: Record<string, string>,
  property: string,
): Promise<string> {
  return page.evaluate(
    ([attributeValues, name]) => {
      const probe = document.body.appendChild(document.createElement("div"));
      for (const [attribute, value] of Object.entries(attributeValues))
        probe.setAttribute(attribute, value);
      probe.style.backgroundColor = `var(${name})`;
      const color = getComputedStyle(probe).backgroundColor;
      probe.remove();
      return color;
    },
    [attributes, property] as const,
  );
}

/** Simulates that the page's tab goes to the background or comes back. */
export function setVisibility(page: Page, state: "hidden" | "visible"): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => value });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
}
