import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import {
  answersWith,
  dialog,
  goTo,
  inTurn,
  open,
  press,
  pressInDialog,
  says,
  type View,
} from "./view.ts";

const SOURCES = { path: "/:world/sources", role: "tenant_admin" } as const;
const SAMPLES = new URL("../../lib/imports/formats/samples/", import.meta.url);

const bank = goTo(/^Wayfarer current account/, /sources\/src_/);
const processor = goTo("Card processor", /sources\/src_/);
const wizard = (page: Page) => page.getByRole("link", { name: "Import a file" }).first().click();
const choosing = (sample: string) => (page: Page) =>
  page.getByLabel("Choose a file").setInputFiles({
    name: sample,
    mimeType: "application/octet-stream",
    buffer: readFileSync(new URL(sample, SAMPLES)),
  });

export const SOURCE_VIEWS: View[] = [
  { name: "sources", ...SOURCES },
  { name: "sources, empty", path: "/:empty/sources", role: "tenant_admin" },
  { name: "sources, empty for reading", path: "/:empty/sources", role: "tenant_analyst" },
  { name: "sources, no match", ...SOURCES, path: "/:world/sources?q=zebra" },
  { name: "a new source", ...SOURCES, path: "/:world/sources?new=true" },
  {
    name: "a new source, incomplete",
    ...SOURCES,
    path: "/:world/sources?new=true",
    arrange: (page) => dialog(page).getByRole("button", { name: "Create source" }).click(),
  },
  { name: "a source", ...SOURCES, arrange: inTurn(bank, says("Latest lines")) },
  {
    name: "a source for reading",
    ...SOURCES,
    role: "tenant_analyst",
    arrange: inTurn(bank, says("Latest lines")),
  },
  {
    name: "a source without imports",
    ...SOURCES,
    arrange: inTurn(processor, says("No imports yet")),
  },
  {
    name: "a source, connecting",
    ...SOURCES,
    arrange: inTurn(
      processor,
      press("Connect"),
      says("Fetch on business days"),
      pressInDialog("Connect"),
      says("Enter the address."),
    ),
  },
  {
    name: "a source, connecting by mail",
    ...SOURCES,
    arrange: inTurn(
      processor,
      press("Connect"),
      (page) => dialog(page).getByText("Mail", { exact: true }).click(),
      says(/DKIM or SPF must prove the sender/),
    ),
  },
  {
    name: "a source that gets files by mail",
    ...SOURCES,
    arrange: inTurn(goTo("Depository account", /sources\/src_/), says(/@custodian.example/)),
  },
  {
    name: "a source, its connection",
    ...SOURCES,
    arrange: inTurn(bank, press("Edit connection"), says(/^Leave this empty to keep the stored/)),
  },
  {
    name: "a source, deleting its connection",
    ...SOURCES,
    arrange: inTurn(
      bank,
      (page) =>
        page
          .getByRole("region", { name: "Connection" })
          .getByRole("button", { name: "Delete" })
          .click(),
      says(/its credential is permanently deleted/),
    ),
  },
  {
    name: "a source, editing",
    ...SOURCES,
    arrange: inTurn(bank, press("Edit"), says("Fixed once the source has lines.")),
  },
  {
    name: "an import",
    ...SOURCES,
    arrange: inTurn(
      bank,
      open("2026-10.camt053.xml"),
      says("Opening balance + lines = closing balance"),
    ),
  },
  {
    name: "an import with rejected rows",
    ...SOURCES,
    arrange: inTurn(bank, open(/^2026-11-a-file-name/), says(/^The balances don't add up/)),
  },
  {
    name: "an import that failed",
    ...SOURCES,
    arrange: inTurn(bank, open("cut.xml"), says("Nothing of this file was kept.")),
  },
  {
    name: "an import, undoing",
    ...SOURCES,
    arrange: inTurn(
      bank,
      open("2026-10.camt053.xml"),
      (page) => dialog(page).getByRole("button", { name: "Undo import" }).click(),
      says(/^Undo the import of/),
    ),
  },
  { name: "import wizard", ...SOURCES, arrange: inTurn(bank, wizard, says("or drop it here.")) },
  {
    name: "import wizard, columns",
    ...SOURCES,
    arrange: inTurn(processor, wizard, choosing("csv-german-bank.csv"), (page) =>
      page.getByRole("button", { name: /^Import \d+ lines$/ }).waitFor(),
    ),
  },
  {
    name: "import wizard, questions",
    ...SOURCES,
    arrange: inTurn(processor, wizard, choosing("csv-ambiguous.csv"), says(/Which is it\?$/)),
  },
  {
    name: "import wizard, debit and credit",
    ...SOURCES,
    arrange: inTurn(
      processor,
      wizard,
      choosing("csv-german-bank.csv"),
      says(/^3 lines/),
      (page) => page.getByText("Debit or credit", { exact: true }).first().click(),
      says("Choose a column."),
    ),
  },
  {
    name: "import wizard, balances",
    ...SOURCES,
    arrange: inTurn(
      bank,
      wizard,
      choosing("camt053-v02.xml"),
      says("Opening balance + lines = closing balance"),
    ),
  },
  {
    name: "import wizard, a file that breaks off",
    ...SOURCES,
    arrange: inTurn(
      bank,
      wizard,
      choosing("camt053-cut.xml"),
      says(/^This file can't be imported/),
    ),
  },
  {
    name: "import wizard, no file of lines",
    ...SOURCES,
    answers: [400],
    arrange: inTurn(
      bank,
      wizard,
      (page) =>
        page.getByLabel("Choose a file").setInputFiles({
          name: "statement.pdf",
          mimeType: "application/pdf",
          buffer: Buffer.from("%PDF-1.7"),
        }),
      says(/^This is a PDF/),
    ),
  },
  {
    name: "import wizard, uploading",
    ...SOURCES,
    arrange: inTurn(
      bank,
      wizard,
      choosing("camt053-v02.xml"),
      (page) => page.route(/imports\?file_name/, () => {}),
      press(/^Import \d+ lines$/),
      says("Uploading"),
    ),
  },
  {
    name: "import wizard for reading",
    ...SOURCES,
    role: "tenant_analyst",
    arrange: inTurn(
      bank,
      async (page) => page.goto(`${page.url()}/import`),
      says("Importing lines requires"),
    ),
  },

  { name: "lines", path: "/acme/lines", role: "tenant_admin" },
  { name: "lines on a phone", path: "/acme/lines", role: "tenant_admin", phone: true },
  { name: "lines, empty", path: "/:empty/lines", role: "tenant_admin" },
  { name: "lines, no match", path: "/acme/lines?q=zebra", role: "tenant_admin" },
  {
    name: "lines, filtered",
    path: "/acme/lines?state=open&amount_from=100000&date_from=2020-01-01",
    role: "tenant_analyst",
  },
  { name: "lines, without a role", path: "/:empty/lines", role: "none", answers: [403] },
  {
    name: "lines, filter by source",
    path: "/acme/lines",
    role: "tenant_admin",
    arrange: inTurn(press("Filter by Source"), says("Receivables ledger")),
  },
  {
    name: "lines, filter by amount",
    path: "/acme/lines",
    role: "tenant_admin",
    arrange: async (page) => {
      await press("Filter by Amount")(page, page.context());
      await page.getByLabel("From (EUR)").fill("a lot");
      await page.getByRole("button", { name: "Done" }).filter({ visible: true }).click();
      await page.getByText("Enter an amount, for example -12.50.").waitFor();
    },
  },
  {
    name: "lines, refused",
    path: "/acme/lines",
    role: "tenant_admin",
    answers: [503],
    arrange: inTurn(
      answersWith(503, "unavailable", "The database is unavailable right now."),
      press("Filter by State"),
      (page) => page.getByRole("menuitemradio", { name: "Excluded" }).click(),
      says(/req_2f1c0d9b/),
    ),
  },
  {
    name: "a line",
    path: "/:world/lines",
    role: "tenant_admin",
    arrange: inTurn(open(), says("Posting text"), says(/^(Imported from|Added through the API)/)),
  },
  {
    name: "a match to undo",
    path: "/:world/lines?state=matched",
    role: "tenant_lead",
    arrange: inTurn(open(), pressInDialog("Undo match"), says("Undo this match?")),
  },
  {
    name: "an excluded line",
    path: "/:world/lines?state=excluded",
    role: "tenant_lead",
    arrange: inTurn(open(), says("Include again")),
  },
  {
    name: "an excluded line to include, without a reason",
    path: "/:world/lines?state=excluded",
    role: "tenant_lead",
    arrange: inTurn(
      open(),
      pressInDialog("Include again"),
      pressInDialog("Include line"),
      says("Enter a reason."),
    ),
  },
  {
    name: "a period's open lines",
    path: "/:world/reconciliations",
    role: "tenant_admin",
    arrange: inTurn(
      goTo(/^Commerzbank, October/, /reconciliations\/rcn_/),
      (page) => page.getByRole("link", { name: "View open lines" }).click(),
      says("State: Outstanding"),
    ),
  },
];
