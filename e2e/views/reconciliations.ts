import type { Locator, Page } from "@playwright/test";
import {
  answersWith,
  goTo,
  inTurn,
  press,
  pressInDialog,
  type Step,
  says,
  type View,
} from "./view.ts";

const LIST = "/:world/reconciliations";

/** Opens a period of one of the world's two pairs of sources. */
const periodOf =
  (pair: "Commerzbank" | "Card sales") =>
  (name: "September" | "October", ...steps: Step[]): Step =>
    inTurn(
      goTo(new RegExp(`^${pair}, ${name}`), /reconciliations\/rcn_/),
      says("Holds to the cent"),
      ...steps,
    );

const period = periodOf("Commerzbank");
/** October is being closed, and September couldn't be. */
const sales = periodOf("Card sales");

const workbench = (...steps: Step[]): Step =>
  period(
    "October",
    (page) => page.getByRole("link", { name: /Workbench/ }).click(),
    (page) => page.getByRole("option").first().waitFor(),
    says(/Runner-up/),
    ...steps,
  );

/** Brings a chart or a button into sight, also at a phone's width. */
const sees = (
  part: (page: Page) => Locator,
  ...before: Step[]
): Pick<View, "arrange" | "arrangeOnPhone"> => {
  const scroll: Step = (page) =>
    part(page).evaluate((element) => element.scrollIntoView({ block: "center" }));
  return {
    arrange: inTurn(...before, (page) => part(page).waitFor(), scroll),
    arrangeOnPhone: scroll,
  };
};

/** Selects the first line of the left side and of the right. */
const selectBothSides: Step = async (page) => {
  for (const key of ["x", "ArrowRight", "x"]) {
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press(key);
  }
};

const rules = (...steps: Step[]): Step =>
  period(
    "October",
    (page) => page.getByRole("link", { name: "Rules" }).click(),
    says(/Rules run from top to bottom/),
    ...steps,
  );

const entryRules = (...steps: Step[]): Step =>
  period(
    "October",
    (page) => page.getByRole("link", { name: "Entries", exact: true }).click(),
    says(/When a period closes/),
    ...steps,
  );

const matches = (...steps: Step[]): Step =>
  period(
    "October",
    (page) => page.getByRole("link", { name: "Matches", exact: true }).click(),
    (page) => page.waitForURL(/\/matches/),
    says("Same reference"),
    ...steps,
  );

export const RECONCILIATIONS: View[] = [
  { name: "reconciliations", path: "/acme/reconciliations", role: "tenant_admin" },
  { name: "reconciliations, empty", path: "/:empty/reconciliations", role: "tenant_admin" },
  {
    name: "reconciliations, no match",
    path: "/:empty/reconciliations?status=archived",
    role: "tenant_admin",
  },
  {
    name: "reconciliations, refused",
    path: "/acme/reconciliations",
    role: "tenant_admin",
    answers: [503],
    arrange: inTurn(
      answersWith(503, "unavailable", "The database is unavailable right now."),
      press("Filter by Status"),
      (page) => page.getByRole("menuitemradio", { name: "Open" }).click(),
      says(/req_2f1c0d9b/),
    ),
  },
  { name: "reconciliations for reading", path: "/acme/reconciliations", role: "tenant_analyst" },
  { name: "a new reconciliation", path: "/acme/reconciliations?new=true", role: "tenant_admin" },
  {
    name: "a reconciliation",
    path: "/acme/reconciliations",
    role: "tenant_admin",
    arrange: inTurn(goTo(/./, /reconciliations\/rcn_/), says(/unmatched/i)),
  },

  {
    name: "a matched period",
    path: LIST,
    role: "tenant_admin",
    arrange: period("October", says("Same reference")),
  },
  {
    name: "a matched period for reading",
    path: LIST,
    role: "tenant_analyst",
    arrange: period("October", says("Same reference")),
  },
  {
    name: "a closed period",
    path: LIST,
    role: "tenant_lead",
    arrange: period("September", says(/This period is locked/)),
  },
  {
    name: "a period to close",
    path: LIST,
    role: "tenant_lead",
    arrange: period("October", press("Close period"), says(/carried into the next period/)),
  },
  {
    name: "a period to close, with a message",
    path: LIST,
    role: "tenant_lead",
    answers: [503],
    arrange: period(
      "October",
      answersWith(503, "unavailable", "The database is unavailable right now.", /\/runs$/),
      press("Run now"),
      says("Couldn't start a run"),
      press("Close period"),
      says(/carried into the next period/),
    ),
  },
  {
    name: "a period to reopen",
    path: LIST,
    role: "tenant_lead",
    arrange: period("September", press("Reopen"), says("Recorded in the audit log.")),
  },
  {
    name: "a period to reopen, without a reason",
    path: LIST,
    role: "tenant_lead",
    arrange: period(
      "September",
      press("Reopen"),
      pressInDialog("Reopen period"),
      says("Enter a reason."),
    ),
  },
  {
    name: "a period's match rate",
    path: LIST,
    role: "tenant_admin",
    ...sees(
      (page) => page.getByRole("application", { name: /^Match rate over/ }),
      period("October"),
    ),
  },
  {
    name: "a period being closed",
    path: LIST,
    role: "tenant_admin",
    arrange: sales("October", says(/^Closing this period/)),
  },
  {
    name: "a period that couldn't be closed",
    path: LIST,
    role: "tenant_admin",
    arrange: sales("September", says(/^This period couldn't be closed/)),
  },
  {
    name: "reconciliations, some closing",
    path: LIST,
    role: "tenant_admin",
    arrange: says("Closing…"),
  },
  {
    name: "a statement",
    path: LIST,
    role: "tenant_admin",
    arrange: period(
      "October",
      (page) => page.getByRole("link", { name: "Statement" }).click(),
      (page) => page.getByRole("heading", { name: "Outstanding lines" }).waitFor(),
    ),
  },

  {
    name: "a signed statement",
    path: LIST,
    role: "tenant_auditor",
    arrange: period(
      "September",
      (page) => page.getByRole("link", { name: "Statement" }).click(),
      (page) => page.getByRole("heading", { name: "Signed statements" }).waitFor(),
    ),
  },
  {
    name: "a period's checklist",
    path: LIST,
    role: "tenant_lead",
    ...sees((page) => page.getByRole("list", { name: "Checks before a close" }), period("October")),
  },
  {
    name: "a period to prepare",
    path: LIST,
    role: "tenant_lead",
    arrange: period("October", press("Sign as prepared"), says(/Whatever changes it/)),
  },

  { name: "the month", path: "/:world/closing-board", role: "tenant_lead" },
  { name: "the month, empty", path: "/:empty/closing-board", role: "tenant_lead" },
  {
    name: "the month, next periods",
    path: "/:world/closing-board?next=true",
    role: "tenant_lead",
    arrange: (page) => page.getByRole("region", { name: "What opens" }).waitFor(),
  },

  { name: "matches of a period", path: LIST, role: "tenant_admin", arrange: matches() },
  {
    name: "matches of a period, by rule and words",
    path: LIST,
    role: "tenant_analyst",
    arrange: matches(
      press("Filter by Rule"),
      (page) => page.getByRole("menuitemradio", { name: "Same reference and date" }).click(),
      (page) => page.getByRole("searchbox", { name: "Search matches" }).fill("vogel"),
      says("Clear filters"),
    ),
  },
  {
    name: "matches of a period, empty",
    path: LIST,
    role: "tenant_admin",
    arrange: inTurn(
      goTo(/November/, /reconciliations\/rcn_/),
      (page) => page.getByRole("link", { name: "Matches", exact: true }).click(),
      says(/No matching matches/),
      press("Clear filters"),
      says("No matches yet"),
    ),
  },
  {
    name: "matches of a period, no match",
    path: LIST,
    role: "tenant_admin",
    arrange: matches(
      (page) => page.goto(`${page.url().split("?")[0]}?state=rejected`),
      says("No matching matches"),
    ),
  },
  {
    name: "matches of a period, refused",
    path: LIST,
    role: "tenant_admin",
    answers: [503],
    arrange: matches(
      answersWith(503, "unavailable", "The database is unavailable right now."),
      press("Filter by State"),
      (page) => page.getByRole("menuitemradio", { name: "Any" }).click(),
      says(/req_2f1c0d9b/),
    ),
  },

  { name: "workbench", path: LIST, role: "tenant_admin", arrange: workbench() },
  { name: "workbench for reading", path: LIST, role: "tenant_analyst", arrange: workbench() },
  {
    name: "workbench, lines selected by hand",
    path: LIST,
    role: "tenant_lead",
    arrange: workbench((page) => page.keyboard.press("x"), says("Selected by hand")),
  },
  {
    name: "workbench, a line to exclude",
    path: LIST,
    role: "tenant_lead",
    arrange: workbench((page) => page.keyboard.press("e"), says("Recorded in the audit log.")),
  },
  {
    name: "workbench, suggestions in bulk",
    path: LIST,
    role: "tenant_lead",
    arrange: workbench((page) => page.keyboard.press("b"), says(/No decisions yet|right:/)),
  },
  {
    name: "workbench, a sample to accept",
    path: LIST,
    role: "tenant_lead",
    arrange: workbench(
      (page) => page.keyboard.press("b"),
      (page) => page.getByRole("dialog").getByRole("listitem").first().getByRole("button").click(),
      says(/^Accept \d+$/),
    ),
  },
  {
    name: "workbench, a rule drafted",
    path: LIST,
    role: "tenant_lead",
    arrange: workbench(press("Always do this…"), says(/matches suggested/)),
  },
  {
    name: "workbench, no match",
    path: LIST,
    role: "tenant_lead",
    arrange: workbench(
      (page) => page.getByRole("searchbox", { name: "Find by amount or text" }).fill("zebra"),
      says("No open line matches."),
    ),
  },
  {
    name: "workbench of a closed period",
    path: LIST,
    role: "tenant_lead",
    arrange: period(
      "September",
      (page) => page.goto(`${page.url()}/workbench`),
      says("This period is closed"),
    ),
  },

  {
    name: "workbench of a period being closed",
    path: LIST,
    role: "tenant_lead",
    arrange: sales(
      "October",
      (page) => page.goto(`${page.url()}/workbench`),
      says("This period is being closed"),
    ),
  },
  {
    name: "workbench, a suggestion with a fee",
    path: LIST,
    role: "tenant_lead",
    arrange: sales("September", (page) => page.goto(`${page.url()}/workbench`), says("in fees")),
  },
  {
    name: "workbench, a difference in fees",
    path: LIST,
    role: "tenant_lead",
    arrange: sales(
      "September",
      (page) => page.goto(`${page.url()}/workbench`),
      selectBothSides,
      says("in fees"),
    ),
  },

  { name: "entry batches, empty", path: "/:empty/entry-batches", role: "tenant_lead" },
  { name: "entry rules", path: LIST, role: "tenant_lead", arrange: entryRules() },
  {
    name: "entry rules, previewed",
    path: LIST,
    role: "tenant_analyst",
    arrange: entryRules(press("Preview entries"), says("Nothing would be posted.")),
  },
  { name: "matching rules", path: LIST, role: "tenant_lead", arrange: rules() },
  {
    name: "matching rules, known names",
    path: LIST,
    role: "tenant_lead",
    ...sees(
      (page) => page.getByRole("button", { name: /^Keep/ }),
      sales(
        "September",
        (page) => page.getByRole("link", { name: "Rules" }).click(),
        (page) =>
          page
            .getByRole("button", { name: /^Forget/ })
            .first()
            .click(),
      ),
    ),
  },
  { name: "matching rules for reading", path: LIST, role: "tenant_analyst", arrange: rules() },
  {
    name: "a rule to edit",
    path: LIST,
    role: "tenant_lead",
    arrange: rules(press("Edit Fees"), says("Fields that have to agree")),
  },
  {
    name: "rules to try",
    path: LIST,
    role: "tenant_lead",
    arrange: rules(
      press("Move Sums up", "Preview and save"),
      says("Newly matched"),
      says(/closed, not run again/),
    ),
  },
];
