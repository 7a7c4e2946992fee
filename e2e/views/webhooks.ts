import { dialog, goTo, inTurn, press, pressInDialog, type Step, says, type View } from "./view.ts";

const LIST = { path: "/:world/webhooks", role: "tenant_admin" } as const;

const of = (what: string, name: string, ...steps: Step[]): View => ({
  name,
  ...LIST,
  arrange: inTurn(
    goTo(new RegExp(`/${what}`), /webhooks\/whk_/),
    says("exception.created"),
    ...steps,
  ),
});

const choose =
  (action: string): Step =>
  async (page, context) => {
    await press("More actions")(page, context);
    await page.getByRole("menuitem", { name: action }).click();
  };

/** One that was so from the start: the exceptions of other views are sent, too. */
const delivery =
  (result: string): Step =>
  async (page) => {
    await page
      .getByRole("row")
      .filter({ hasText: result })
      .getByRole("link", { name: "exception.created" })
      .first()
      .click();
    await dialog(page).getByRole("heading").first().waitFor();
  };
const unfold =
  (title: string): Step =>
  (page) =>
    dialog(page).getByText(title, { exact: true }).first().click();

export const WEBHOOKS: View[] = [
  { name: "webhooks", ...LIST },
  { name: "webhooks, none", path: "/:empty/webhooks", role: "tenant_admin" },
  { name: "webhooks, no match", path: "/:empty/webhooks?status=disabled", role: "tenant_admin" },
  { name: "webhooks, for admins only", path: "/:world/webhooks", role: "tenant_lead" },
  { name: "a new webhook", path: "/:world/webhooks?new=true", role: "tenant_admin" },
  {
    name: "a new webhook, with errors",
    path: "/:world/webhooks?new=true",
    role: "tenant_admin",
    arrange: inTurn(pressInDialog("Register webhook"), says("Enter your receiver's URL.")),
  },
  {
    name: "a new webhook, own secret",
    path: "/:world/webhooks?new=true",
    role: "tenant_admin",
    arrange: inTurn(
      (page) => dialog(page).getByText("Use my own").click(),
      (page) => dialog(page).getByLabel("Secret", { exact: true }).waitFor(),
    ),
  },
  {
    name: "a new webhook, filters and headers",
    path: "/:world/webhooks?new=true",
    role: "tenant_admin",
    arrange: inTurn(
      (page) => dialog(page).getByText("Filters, headers, OAuth and limit").click(),
      (page) => dialog(page).getByLabel("Client ID").scrollIntoViewIfNeeded(),
    ),
  },
  of("ledger", "a webhook, two secrets", says(/^Two secrets sign/)),
  of("desk", "a webhook, failing", says(/^Every delivery since .* failed/)),
  of(
    "desk",
    "a webhook, hours of its chart",
    async (page) => {
      const chart = page.getByRole("slider", { name: /^Attempts and response times/ });
      for (const key of ["Home", "Shift+End", "Enter"]) await chart.press(key);
    },
    says(/^Created from/),
  ),
  of("archive", "a webhook, disabled", says("The archive moves to another host.")),
  of("gone", "a webhook, gone", says("at the receiver's request")),
  of("ledger", "a delivery", delivery("Delivered"), unfold("Response"), unfold("Request headers")),
  of("desk", "a delivery, failed", delivery("Signature rejected")),
  of("ledger", "a webhook, more actions", press("More actions"), says("Rotate signing secret")),
  of("ledger", "a webhook, testing any event", press("Test with another event"), says("run.done")),
  of("ledger", "a webhook, how to verify", press("Verify signatures"), says("timingSafeEqual")),
  of("ledger", "editing a webhook", press("Edit"), (page) =>
    dialog(page).getByLabel("URL").waitFor(),
  ),
  of(
    "ledger",
    "editing a webhook, with errors",
    press("Edit"),
    (page) => dialog(page).getByLabel("URL").fill("nowhere"),
    pressInDialog("Save"),
    says(/^Must be a complete URL/),
  ),
  of(
    "ledger",
    "rotating a webhook's secret",
    choose("Rotate signing secret"),
    says("Both secrets sign until"),
  ),
  of(
    "desk",
    "recovering what a webhook missed",
    choose("Recover missed deliveries"),
    says("missed since"),
  ),
  of("ledger", "disabling a webhook", choose("Disable"), (page) =>
    dialog(page).getByLabel("Reason").waitFor(),
  ),
  of("ledger", "deleting a webhook", choose("Delete"), says("Its signing secret is destroyed")),
  of("gone", "enabling a webhook", press("Enable"), says(/\d deliver/)),
];
