import { line, settings, surface } from "./surface.ts";

export const integrations = surface({
  path: "integrations",
  title: "Integrations",
  noun: "integration",
  description: "Connections to the systems you reconcile.",
  public: false,
  fields: {
    name: line("Name"),
    provider: line("Provider", 120),
    status: line("Status", 64),
    config: settings("Configuration"),
  },
  columns: ["name", "provider", "status"],
  example: {
    name: "Stripe payouts",
    provider: "stripe",
    status: "active",
    config: { account: "acct_1032D8", schedule: "daily", secret_ref: "vault:stripe/payouts" },
  },
});
