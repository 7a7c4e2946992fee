import { PASSWORD } from "../fixtures.ts";
import { settled } from "../ui/soundness.ts";
import {
  answersWith,
  button,
  dialog,
  inTurn,
  press,
  pressInDialog,
  type Step,
  says,
  type View,
} from "./view.ts";

/** As an account of the local stack, which has an address and a password. */
const asAccount =
  (email: string): Step =>
  async (page, context) => {
    await context.clearCookies();
    await page.goto("/sign-in");
    await settled(page);
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await button(page, "Sign in").click();
    await page.waitForURL("/acme");
  };

const LIST = { path: "/:world/alerts", role: "tenant_admin" } as const;

export const ALERTS: View[] = [
  { name: "alerts", ...LIST, arrange: says(/^The last message failed/) },
  { name: "alerts, none", path: "/:empty/alerts", role: "tenant_admin" },
  { name: "alerts, for admins only", path: "/:world/alerts", role: "tenant_analyst" },
  {
    name: "alerts, unavailable",
    ...LIST,
    arrange: inTurn(
      says(/^The last message failed/),
      answersWith(503, "unavailable", "The database isn't reachable right now. Try again shortly."),
      press("Send test to #recon-alerts"),
      says("The database isn't reachable right now."),
    ),
    answers: [503],
  },
  { name: "a new alert channel", path: "/:world/alerts?new=true", role: "tenant_admin" },
  {
    name: "a new alert channel, with errors",
    path: "/:world/alerts?new=true",
    role: "tenant_admin",
    arrange: inTurn(pressInDialog("Add channel"), says("Enter the URL of the incoming webhook.")),
  },
  {
    name: "editing an alert channel",
    ...LIST,
    arrange: inTurn(press("Edit #recon-alerts"), (page) =>
      dialog(page).getByLabel("Name").waitFor(),
    ),
  },
  {
    name: "deleting an alert channel",
    ...LIST,
    arrange: inTurn(press("Delete #recon-alerts"), says(/^No more alerts are posted/)),
  },
];

const OWN = { path: "/acme/profile", role: "tenant_admin", alone: true } as const;

export const PROFILE: View[] = [
  {
    name: "profile",
    ...OWN,
    begin: asAccount("ada@acme.example"),
    arrange: says("A webhook is failing or was disabled"),
  },
  {
    name: "profile, changing the password with errors",
    ...OWN,
    begin: asAccount("ada@acme.example"),
    arrange: inTurn(press("Change password"), says("Enter your current password.")),
  },
  {
    name: "profile, of another identity provider",
    path: "/acme/profile",
    role: "tenant_analyst",
    arrange: says(/^Your identity provider manages/),
  },
];

export const SANDBOX: View[] = [
  { name: "sandbox, none yet", path: "/:empty/sandbox", role: "tenant_admin" },
  {
    name: "sandbox",
    path: "/:empty/sandbox",
    role: "tenant_admin",
    alone: true,
    arrange: inTurn(press("Create sandbox", "Reset sandbox"), says(/live data isn't touched/)),
  },
];
