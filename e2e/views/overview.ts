import type { Step, View } from "./view.ts";

/** Its charts are there from the first. */
const CHARTS_KB = 294;

const nextHours: Step = async (page) => {
  const chart = page.getByRole("application", { name: /^Deadlines in the next/ });
  await chart.waitFor();
  await chart.evaluate((element) => element.scrollIntoView({ block: "center" }));
};

/** A tenant's home, as each role has it. */
export const OVERVIEW: View[] = [
  { name: "overview", path: "/acme", role: "tenant_admin", script_max_kb: CHARTS_KB },
  {
    name: "overview of an analyst",
    path: "/acme",
    role: "tenant_analyst",
    script_max_kb: CHARTS_KB,
  },
  {
    name: "overview on a phone",
    path: "/:world",
    role: "tenant_admin",
    phone: true,
    script_max_kb: CHARTS_KB,
  },
  {
    name: "overview, its tables",
    path: "/acme",
    role: "tenant_lead",
    arrange: async (page) => {
      await page.getByRole("application", { name: /^Breached and closed/ }).waitFor();
      for (const summary of await page.getByText("Show as table").all()) await summary.click();
    },
  },
  {
    name: "overview, the next hours",
    path: "/acme",
    role: "tenant_lead",
    arrange: nextHours,
    arrangeOnPhone: nextHours,
  },
  { name: "overview, empty", path: "/:empty", role: "tenant_admin", script_max_kb: CHARTS_KB },
  { name: "overview, without a role", path: "/:empty", role: "none", script_max_kb: CHARTS_KB },
];
