import { expect } from "@playwright/test";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn } from "./person.ts";
import { test } from "./test.ts";

const READ = /\/v1\/requests\?/;

test("in the live log, no request moves under the pointer", async ({ page, context }) => {
  const tenant = await createTenant();
  await beSignedIn(context, { [tenant]: ["tenant_admin"] });
  const bearer = await userToken(tenant, ["tenant_admin"]);
  const call = (path: string) => api("GET", path, { bearer, tenant });
  await call("/v1/exceptions");
  await call("/v1/reconciliations");
  await page.goto(`/${tenant}/requests?live=true`);
  const rowOf = (what: string) => page.getByRole("row").filter({ hasText: `GET /v1/${what}` });
  const row = rowOf("exceptions");
  await expect(row).toBeVisible();
  await expect(rowOf("reconciliations")).toBeVisible();

  const released = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  await page.route(READ, async (route) => {
    requested.resolve();
    await released.promise;
    await route.continue();
  });
  await requested.promise;
  await call("/v1/webhooks");
  await expect
    .poll(async () => (await call("/v1/requests?limit=50")).text)
    .toContain("/v1/webhooks");
  const top = (await row.boundingBox())?.y;
  await row.hover();
  await expect(
    page.getByRole("status").getByText("Paused while you point at the list."),
  ).toBeVisible();
  const read = page.waitForResponse(READ);
  released.resolve();
  expect(await (await read).text()).toContain("/v1/webhooks");
  // Waits by the clock, because a browser may draw no frame while nothing changes.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
  expect((await row.boundingBox())?.y).toBe(top);

  await page.mouse.move(0, 0);
  await expect(rowOf("webhooks")).toBeVisible();
  await expect(page.getByText("New requests appear automatically.")).toBeVisible();
});
