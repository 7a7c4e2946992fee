import { expect, type Page } from "@playwright/test";
import { api, createTenant, userToken } from "../fixtures.ts";
import { beSignedIn, createReconciliation, report } from "./person.ts";
import { expectAxeFindsNothing, PHONE } from "./soundness.ts";
import { test } from "./test.ts";

const NOTE = { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("Approved by Eva.") };
const PAGE = { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<html></html>") };

const files = (page: Page) =>
  page.getByRole("list", { name: "Evidence, newest first" }).getByRole("listitem");

test("files are added to a period, downloaded, and removed with a reason", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  const { id } = await createReconciliation(tenant, { name: "Payouts" });
  await beSignedIn(context, { [tenant]: ["tenant_lead"] }, "leo");
  await page.setViewportSize(PHONE);
  await page.goto(`/${tenant}/reconciliations/${id}`);
  await expect(page.getByText("No evidence yet.")).toBeVisible();
  const add = page.getByLabel("Add files");
  await add.setInputFiles([NOTE, { ...NOTE, name: "second.txt" }]);
  await expect(files(page)).toHaveText([/second\.txt.*16 bytes.*leo/, /note\.txt/]);
  await add.setInputFiles(PAGE);
  await expect(page.getByText("Evidence is a PDF, an image")).toBeVisible();
  await expectAxeFindsNothing(page);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download note.txt" }).click();
  expect((await download).suggestedFilename()).toBe("note.txt");
  expect((await (await (await download).createReadStream()).toArray()).join("")).toBe(
    "Approved by Eva.",
  );

  await page.getByRole("button", { name: "Remove note.txt" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove note.txt?" });
  await dialog.getByRole("button", { name: "Remove file" }).click();
  await expect(dialog.getByText("Enter a reason.")).toBeVisible();
  await dialog.getByLabel("Reason").fill("Wrong file");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Removed note.txt", { exact: true })).toBeVisible();
  await expect(files(page)).toHaveText([/second\.txt/]);
});

test("an auditor sees an exception's evidence, but can't add or remove any", async ({
  page,
  context,
}) => {
  const tenant = await createTenant();
  const { id } = await report(tenant, { title: "Fee differs", due_in_minutes: 600 });
  const added = await api("POST", "/v1/evidence", {
    bearer: await userToken(tenant, ["tenant_lead"], "leo"),
    tenant,
    query: { subject_id: id, file_name: "note.txt" },
    body: NOTE.buffer,
    headers: { "Content-Type": "text/plain" },
  });
  expect(added.status, added.text).toBe(201);
  await beSignedIn(context, { [tenant]: ["tenant_auditor"] }, "aud");
  await page.goto(`/${tenant}/exceptions?exception=${id}`);
  await expect(files(page)).toHaveText([/note\.txt/]);
  await expect(page.getByLabel("Add files")).toBeHidden();
  await expect(page.getByRole("button", { name: "Remove note.txt" })).toBeHidden();
  await expectAxeFindsNothing(page);
});
