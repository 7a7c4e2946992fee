"use client";

import { BookOpen, FileUp, KeyRound, Layers, type LucideIcon, Scale } from "lucide-react";
import { useMember } from "#components/kit/member.tsx";
import { may } from "#components/kit/permissions.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { needs, type Permission } from "#lib/wire/access.ts";

type Way = { title: string; text: string; path: string; icon: LucideIcon; permission?: Permission };

const WAYS: readonly Way[] = [
  {
    title: "Add a source",
    text:
      "A bank account, ledger or payment provider. " +
      "Import its statements as files or send lines to the API.",
    path: "sources?new=true",
    icon: Layers,
    permission: "write:reconciliations",
  },
  {
    title: "Create a reconciliation",
    text:
      "Choose two sources and a period. " +
      "What doesn't match becomes an exception with a deadline.",
    path: "reconciliations?new=true",
    icon: Scale,
    permission: "write:reconciliations",
  },
  {
    title: "Import exceptions",
    text: "Bring in what you already track, as CSV or NDJSON.",
    path: "exceptions/import",
    icon: FileUp,
    permission: "write:exceptions",
  },
  {
    title: "Create an API key",
    text: "For servers that report exceptions or send lines.",
    path: "api-keys?new=true",
    icon: KeyRound,
    permission: "write:api-keys",
  },
];

/** The overview of a tenant without data: where to begin. */
export function OverviewEmpty() {
  const { tenant, roles } = useMember();
  const ways = WAYS.filter(({ permission }) => !permission || may(roles, needs(permission)));
  return (
    <section aria-labelledby="begin" className="flex max-w-3xl flex-col gap-4">
      <div>
        <h2 id="begin" className="text-lg font-semibold">
          Nothing here yet
        </h2>
        <p className="text-muted">
          Deadlines, money at risk, imports and runs appear here once you have some. Start with one
          of these.
        </p>
      </div>
      <ul className="grid gap-3 @2xl:grid-cols-2">
        {[...ways.map((way) => ({ ...way, href: `/${tenant.id}/${way.path}` })), DOCS].map(
          ({ title, text, href, icon: Icon }) => (
            <li
              key={title}
              className="relative flex gap-3 rounded-lg border border-line bg-raised p-4 shadow-raised hover:bg-hover"
            >
              <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
              <div>
                <PrefetchLink
                  href={href}
                  className="font-medium outline-none after:absolute after:inset-0"
                >
                  {title}
                </PrefetchLink>
                <p className="text-sm text-muted">{text}</p>
              </div>
            </li>
          ),
        )}
      </ul>
    </section>
  );
}

const DOCS = {
  title: "Read the documentation",
  text: "Guides, every operation with an example, events and errors.",
  href: "/docs",
  icon: BookOpen,
};
