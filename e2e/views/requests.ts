import { answersWith, dialog, inTurn, open, press, says, type View } from "./view.ts";

const LIST = { path: "/:world/requests?period=14d", role: "tenant_admin" } as const;

const listed: View["arrange"] = (page) => page.getByRole("row").nth(1).waitFor();

const opened =
  (status: string): View["arrange"] =>
  async (page) => {
    await page.getByRole("row").filter({ hasText: status }).getByRole("link").first().click();
    await dialog(page).getByRole("heading", { name: "Response" }).waitFor();
  };

export const REQUESTS: View[] = [
  { name: "requests", ...LIST, arrange: listed },
  {
    name: "requests, none",
    path: "/:empty/requests",
    role: "tenant_admin",
    // Refused calls of other views of this tenant are listed.
    alone: true,
    arrange: says("No requests in this period"),
  },
  {
    name: "requests, no match",
    path: "/:world/requests?actor=user:nobody",
    role: "tenant_admin",
    arrange: says("No matching requests"),
  },
  {
    name: "requests, for admins only",
    path: "/:world/requests",
    role: "tenant_lead",
    arrange: says("Admins view requests"),
  },
  { name: "requests, live", path: `${LIST.path}&live=true`, role: "tenant_admin", arrange: listed },
  {
    name: "requests, not loaded",
    path: "/:world/requests?view=deliveries",
    role: "tenant_admin",
    arrange: inTurn(
      answersWith(503, "unavailable", "The database is unavailable right now."),
      (page) => page.getByText("Requests", { exact: true }).last().click(),
      says("The database is unavailable right now."),
    ),
    answers: [503],
  },
  { name: "a request", ...LIST, arrange: open(/GET/) },
  // Only this error: refusals of other views come before it, and could push it out of the rendered
  // rows.
  {
    name: "a request, failed",
    ...LIST,
    path: `${LIST.path}&error_code=invalid_request`,
    arrange: opened("invalid_request"),
  },
  {
    name: "deliveries of all webhooks",
    path: "/:world/requests?view=deliveries",
    role: "tenant_admin",
    arrange: says("exception.created"),
  },
  {
    name: "a delivery in the list of all webhooks",
    path: "/:world/requests?view=deliveries",
    role: "tenant_admin",
    arrange: inTurn(says("exception.created"), open()),
  },
  {
    name: "deliveries, none",
    path: "/:empty/requests?view=deliveries",
    role: "tenant_admin",
    arrange: says("No deliveries yet"),
  },
  {
    name: "requests, by error",
    ...LIST,
    arrange: inTurn(press(/Error$/), says("400 invalid_request")),
  },
];
