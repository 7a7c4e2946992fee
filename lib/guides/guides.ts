/**
 * The guides, in the order of the navigation. Each is `docs/guides/<slug>.md`, whose first line is
 * its title.
 */
export const GUIDE_GROUPS = [
  {
    title: "Start",
    slugs: ["quickstart", "credentials", "identity-providers", "command-line", "sandbox"],
  },
  {
    title: "Every call",
    slugs: ["idempotency", "pagination", "errors-and-limits", "cors", "versioning"],
  },
  { title: "API keys", slugs: ["key-rotation", "key-protection"] },
  { title: "Reconciling", slugs: ["lines", "bank-files", "matching", "closing", "entries"] },
  { title: "Exceptions and records", slugs: ["sla-monitor", "records"] },
  {
    title: "Events and security",
    slugs: ["webhooks", "events", "incremental-sync", "people", "supabase-keys", "security-events"],
  },
  { title: "Operations", slugs: ["self-hosting"] },
] as const;

export type GuideSlug = (typeof GUIDE_GROUPS)[number]["slugs"][number];

export const GUIDE_SLUGS: readonly GuideSlug[] = GUIDE_GROUPS.flatMap(({ slugs }) => slugs);
