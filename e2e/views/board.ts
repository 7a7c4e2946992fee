import type { Page } from "@playwright/test";
import { closeTop, dialog, inTurn, open, press, says, type View } from "./view.ts";

/** With few exceptions: only what covers the board is checked. */
const BOARD = { path: "/:world/exceptions", role: "tenant_admin" } as const;

const importing = (text: string) => (page: Page) =>
  page
    .getByLabel("Choose a file")
    .setInputFiles({ name: "october-feed.csv", mimeType: "text/csv", buffer: Buffer.from(text) });

async function chooseThree(page: Page): Promise<void> {
  const boxes = page.getByRole("row").getByRole("checkbox", { name: /^Select (?!all)/ });
  for (const at of [1, 2, 3]) await boxes.nth(at).check();
  await page.getByRole("region", { name: "Selected exceptions" }).waitFor();
}

const inBar = (name: string) => (page: Page) =>
  page.getByRole("region", { name: "Selected exceptions" }).getByRole("button", { name }).click();

const charts = (page: Page) =>
  page.getByRole("application", { name: /^Breaches per day/ }).waitFor();

export const EXCEPTIONS: View[] = [
  { name: "board", path: "/acme/exceptions", role: "tenant_admin" },
  { name: "board on a phone", path: "/acme/exceptions", role: "tenant_admin", phone: true },
  { name: "board, empty", path: "/:empty/exceptions", role: "tenant_admin" },
  { name: "board, no match", ...BOARD, path: "/:world/exceptions?assigned_to=user:nobody" },
  {
    name: "board, filtered",
    ...BOARD,
    path: "/acme/exceptions?breach_risk=at_risk&severity=critical&status=open&sortBy=severity",
  },
  { name: "board, without a role", path: "/:empty/exceptions", role: "none", answers: [403] },
  {
    name: "board with charts",
    ...BOARD,
    path: "/acme/exceptions?charts=true",
    arrange: async (page) => {
      await charts(page);
      for (const summary of await page.getByText("Show as table").all()) await summary.click();
    },
  },
  { name: "board, the breached unfolded", ...BOARD, path: "/acme/exceptions?breached=true" },
  { name: "board, closed", ...BOARD, path: "/acme/exceptions?state=closed" },
  {
    name: "board, display",
    ...BOARD,
    arrange: inTurn(press("Display"), says("Notify me of new exceptions")),
  },
  {
    name: "board, a new exception",
    ...BOARD,
    arrange: inTurn(press("New exception"), (page) => dialog(page).getByLabel("Title").waitFor()),
  },
  {
    name: "board, saving a view",
    ...BOARD,
    path: "/acme/exceptions?severity=critical,high&assigned_to=me,none",
    arrange: inTurn(press("Save view"), (page) => dialog(page).getByLabel("Name").waitFor()),
  },
  {
    name: "board, filter by severity",
    ...BOARD,
    arrange: inTurn(press("Filter by Severity"), says("Critical")),
  },
  {
    name: "board, filter by assignee",
    ...BOARD,
    arrange: inTurn(press(/^Filter by Assignee/), says("leo")),
  },
  { name: "board, more", ...BOARD, arrange: inTurn(press("More"), says("By severity")) },
  { name: "board with a selection", ...BOARD, arrange: chooseThree },
  {
    name: "board, assigning a selection",
    ...BOARD,
    arrange: inTurn(chooseThree, inBar("Assign"), (page) =>
      page.getByRole("option", { name: "Unassigned" }).waitFor(),
    ),
  },
  {
    name: "board, closing a selection",
    ...BOARD,
    arrange: inTurn(
      chooseThree,
      inBar("Status"),
      (page) => page.getByRole("menuitem", { name: /Resolved/ }).click(),
      (page) => dialog(page).getByLabel("Resolution").waitFor(),
    ),
  },
  {
    name: "board, pausing a selection",
    ...BOARD,
    arrange: inTurn(
      chooseThree,
      inBar("Clock"),
      (page) => page.getByRole("menuitem", { name: /Pause/ }).click(),
      (page) => dialog(page).getByLabel("Reason").waitFor(),
    ),
  },
  {
    name: "board, offline",
    ...BOARD,
    alone: true,
    answers: ["offline"],
    arrange: inTurn((_, context) => context.setOffline(true), says("You're offline.")),
  },
  {
    name: "a colleague's view to delete",
    path: "/:world/exceptions?severity=critical",
    role: "tenant_admin",
    arrange: inTurn(
      press("View Urgent, with the bank"),
      (page) => page.getByRole("menuitem", { name: "Delete view" }).click(),
      says(/^leo shared this view/),
    ),
  },
  {
    name: "exception",
    ...BOARD,
    arrange: inTurn(open(), (page) =>
      dialog(page).getByRole("list", { name: "Activity" }).waitFor(),
    ),
  },
  {
    name: "exception panel, narrow list",
    ...BOARD,
    arrange: inTurn((page) => page.setViewportSize({ width: 1100, height: 800 }), open()),
  },
  {
    name: "exception, resolving",
    ...BOARD,
    arrange: inTurn(
      open(),
      (page) => dialog(page).getByRole("button", { name: "Resolve" }).click(),
      (page) => page.getByRole("combobox", { name: "Resolution" }).fill("Ma"),
    ),
  },
  {
    name: "exception, commenting",
    ...BOARD,
    arrange: inTurn(
      open(),
      (page) => dialog(page).getByRole("button", { name: "Comment" }).click(),
      (page) => page.getByRole("textbox", { name: "Comment" }).pressSequentially("Ask @"),
      (page) => page.getByRole("listbox", { name: "Members" }).waitFor(),
    ),
  },
  {
    name: "exception, assigning",
    ...BOARD,
    arrange: inTurn(
      open(),
      (page) =>
        dialog(page)
          .getByRole("button", { name: /^Assignee/ })
          .click(),
      (page) => page.getByRole("combobox", { name: "Assignee" }).fill("zo e"),
      says("Names can't contain spaces."),
    ),
  },
  {
    name: "exception, pausing",
    ...BOARD,
    arrange: inTurn(
      open(/Late settlement/),
      (page) => dialog(page).getByRole("button", { name: "Pause" }).click(),
      (page) => dialog(page).getByLabel("Reason").waitFor(),
    ),
  },
  {
    name: "exception, breached",
    ...BOARD,
    path: "/:world/exceptions?breached=true",
    arrange: inTurn(
      open(/Payout 4711/),
      says("Can't pause. Its deadline has passed. Move the deadline to pause it."),
    ),
  },
  {
    name: "exception, paused",
    ...BOARD,
    path: "/:world/exceptions?q=L-10475",
    arrange: inTurn(open(/is with the bank/), says("Due if resumed now")),
  },
  {
    name: "exception, its clock",
    ...BOARD,
    arrange: inTurn(
      open(),
      (page) => dialog(page).getByText("SLA timeline", { exact: true }).click(),
      (page) => dialog(page).getByRole("table").waitFor(),
    ),
  },
  { name: "import", path: "/acme/exceptions/import", role: "tenant_admin" },
  {
    name: "import, a file chosen",
    path: "/acme/exceptions/import",
    role: "tenant_admin",
    arrange: importing("title,severity\nFee 31,low\n"),
  },
  {
    name: "import, refused lines",
    path: "/:empty/exceptions/import",
    role: "tenant_admin",
    alone: true,
    arrange: inTurn(
      importing(
        "title,severity,due_at\nFee 30 is unknown,low,\n,low,\nPayout 88 differs,urgent,\nFee 31 is unknown,low,yesterday\n",
      ),
      press("Start import"),
      (page) => page.getByRole("region", { name: "Rejected rows" }).waitFor(),
    ),
  },
  { name: "SLA policy", path: "/acme/sla-policy", role: "tenant_admin" },
  { name: "SLA policy, for reading", path: "/acme/sla-policy", role: "tenant_analyst" },
  {
    name: "SLA policy, reviewed",
    path: "/acme/sla-policy",
    role: "tenant_admin",
    arrange: inTurn(
      (page) => page.getByRole("textbox", { name: "High" }).fill("6"),
      press("Review changes"),
      (page) => dialog(page).getByRole("table").waitFor(),
    ),
  },
];

const search = press("Search or jump to");
const find = (text: string) => (page: Page) => page.getByRole("combobox").fill(text);
const found = (page: Page) => page.getByRole("option").first().waitFor();

/** The parts around every page. */
export const SHELL: View[] = [
  {
    name: "first steps",
    path: "/:empty/reconciliations",
    role: "tenant_admin",
    arrangeOnPhone: openMenuOnPhone,
  },
  {
    name: "palette",
    ...BOARD,
    arrange: inTurn(search, found),
    arrangeOnPhone: inTurn(closeTop, search, found),
  },
  { name: "palette, found", ...BOARD, arrange: inTurn(search, find("pay"), found) },
  {
    name: "palette, nothing found",
    ...BOARD,
    arrange: inTurn(search, find("zebra"), says(/No results for/)),
  },
  {
    name: "shortcuts",
    ...BOARD,
    arrange: inTurn(
      (page) => page.keyboard.press("?"),
      (page) => page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor(),
    ),
  },
  {
    name: "account menu",
    ...BOARD,
    arrange: inTurn(press(/^Account and preferences/), says("Sign out")),
    arrangeOnPhone: inTurn(
      closeTop,
      openMenuOnPhone,
      press(/^Account and preferences/),
      says("Sign out"),
    ),
  },
  {
    name: "sessions",
    ...BOARD,
    arrange: inTurn(press(/^Account and preferences/), openSessions),
    arrangeOnPhone: inTurn(
      closeTop,
      openMenuOnPhone,
      press(/^Account and preferences/),
      openSessions,
    ),
  },
  {
    name: "tenant menu",
    ...BOARD,
    arrange: inTurn(press(/^Switch tenant/), says("Wayfarer Ltd")),
    arrangeOnPhone: inTurn(
      closeTop,
      openMenuOnPhone,
      press(/^Switch tenant/),
      says("Wayfarer Ltd"),
    ),
  },
];

async function openSessions(page: Page): Promise<void> {
  await page.getByRole("menuitem", { name: "Sessions" }).click();
  await page.getByRole("dialog", { name: "Sessions" }).waitFor();
  await page.getByRole("status", { name: "Loading your sessions" }).waitFor({ state: "detached" });
}

async function openMenuOnPhone(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("dialog", { name: "Navigation" }).waitFor();
}
