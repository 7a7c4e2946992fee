import { dialog, inTurn, open, type View } from "./view.ts";

/** What differs from one surface to the next: its columns and its fields. */
const of = (surface: string): View[] => [
  { name: surface, path: `/acme/${surface}`, role: "tenant_admin" },
  { name: `${surface}, a record`, path: `/acme/${surface}`, role: "tenant_admin", arrange: open() },
  { name: `${surface}, a new record`, path: `/acme/${surface}?record=new`, role: "tenant_admin" },
];

export const RECORDS: View[] = [
  ...["integrations", "troubleshooting", "release-notes"].flatMap(of),
  { name: "integrations, empty", path: "/:empty/integrations", role: "tenant_admin" },
  {
    name: "integrations, a record for reading",
    path: "/acme/integrations",
    role: "tenant_analyst",
    arrange: open(),
  },
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
  {
    name: "bin, a record",
    path: "/acme/integrations?view=bin",
    role: "tenant_admin",
    arrange: open(),
  },
  { name: "bin, empty", path: "/:empty/integrations?view=bin", role: "tenant_admin" },
  { name: "records, no match", path: "/acme/integrations?q=zebra", role: "tenant_admin" },

  { name: "updates", path: "/acme/updates" },
  { name: "updates, none", path: "/:empty/updates" },
];
