import { answersWith, dialog, goTo, inTurn, open, press, says, type View } from "./view.ts";

const of = (surface: string): View[] => [
  { name: surface, path: `/acme/${surface}`, role: "tenant_admin" },
  { name: `${surface}, empty`, path: `/:empty/${surface}`, role: "tenant_admin" },
  { name: `${surface}, a record`, path: `/acme/${surface}`, role: "tenant_admin", arrange: open() },
  { name: `${surface}, a record for reading`, path: `/acme/${surface}`, role: "tenant_analyst", arrange: open() },
  { name: `${surface}, a new record`, path: `/acme/${surface}?record=new`, role: "tenant_admin" },
];

export const RECORDS: View[] = [
  ...["integrations", "troubleshooting", "release-notes"].flatMap(of),
  {
    name: "a record with all there is",
    path: "/:world/integrations",
    role: "tenant_admin",
    arrange: open(),
  },
  {
    name: "a record as JSON",
    path: "/acme/integrations",
    role: "tenant_admin",
    arrange: inTurn(
      open(),
      (page) => dialog(page).getByText("JSON", { exact: true }).click(),
      (page) => page.getByLabel("All fields").waitFor(),
    ),
  },
  { name: "bin", path: "/acme/integrations?view=bin", role: "tenant_admin" },
  { name: "bin, a record", path: "/acme/integrations?view=bin", role: "tenant_admin", arrange: open() },
  { name: "bin, empty", path: "/:empty/integrations?view=bin", role: "tenant_admin" },
  { name: "records, no match", path: "/acme/integrations?q=zebra", role: "tenant_admin" },

  { name: "reconciliations", path: "/acme/reconciliations", role: "tenant_admin" },
  { name: "reconciliations, empty", path: "/:empty/reconciliations", role: "tenant_admin" },
  { name: "reconciliations, no match", path: "/:empty/reconciliations?status=archived", role: "tenant_admin" },
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

  { name: "updates", path: "/acme/updates" },
  { name: "updates, none", path: "/:empty/updates" },
];
