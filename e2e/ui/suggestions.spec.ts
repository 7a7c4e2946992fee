import { expect } from "@playwright/test";
import { createTenant, sql } from "../fixtures.ts";
import { createMonth } from "../views/month.ts";
import { beSignedIn, rowOf } from "./person.ts";
import { test } from "./test.ts";

test.setTimeout(180_000);

test("a suggested match is read, confirmed and undone on its exception by keyboard", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  await createMonth(tenant);
  await beSignedIn(context, { [tenant]: ["tenant_analyst"] });
  const [exception] = await sql<{ id: string; title: string }>(
    `select id, title from public.exceptions where tenant_id = $1 and title like 'Suggested match%'
     order by id limit 1`,
    [tenant],
  );
  if (!exception) throw new Error("The month has no suggestion");
  const { id, title } = exception;
  const status = async () =>
    (await sql<{ status: string }>("select status from public.exceptions where id = $1", [id]))[0]
      ?.status;

  await page.goto(`/${tenant}/exceptions?exception=${id}`);
  const open = page.getByRole("dialog", { name: title });
  await expect(open.getByRole("region", { name: "Commerzbank EUR account" })).toContainText("€");
  await expect(open.getByRole("region", { name: "Receivables ledger" })).toContainText("€");
  await expect(open.getByText("Difference")).toBeVisible();
  await expect(open.getByRole("table", { name: "What agrees" })).toBeVisible();
  await expect(open.getByText(/_minor|line_id/)).toHaveCount(0);

  await page.keyboard.press("y");
  await expect(page.getByText(/^Confirmed €/)).toBeVisible();
  await expect(rowOf(page, title)).toBeHidden();
  expect(await status()).toBe("resolved");

  await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText(/^Match of €.* undone$/)).toBeVisible();
  await expect.poll(status).toBe("open");
});
