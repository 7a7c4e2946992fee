/** Signing in at the start of a morning, and going from page to page. */
import { expect, type Locator, type Page } from "@playwright/test";
import type { Role } from "#lib/wire/access.ts";
import { enrol } from "../../fixtures.ts";
import { enter } from "../person.ts";

/** Signs in by password and waits for the overview. @returns the person's name. */
export async function arrive(page: Page, tenant: string, role: Role): Promise<string> {
  const { name, email } = await enrol({ [tenant]: [role] });
  await page.goto(`/${tenant}`);
  await enter(page, email);
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  return name;
}

/** Opens a page by its link in the sidebar. */
export async function goTo(page: Page, section: string): Promise<void> {
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: section, exact: true })
    .click();
  await expect(page.getByRole("heading", { level: 1, name: section, exact: true })).toBeVisible();
}

export function panel(page: Page, name?: string | RegExp): Locator {
  return page.getByRole("dialog", name === undefined ? {} : { name }).last();
}
