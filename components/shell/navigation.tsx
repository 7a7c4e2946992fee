"use client";

import { usePathname } from "next/navigation";
import { useId } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { classes } from "#components/ui/classes.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { addressOf, groupsOf, type SurfaceLink } from "./sections.ts";

export function Navigation({
  surfaces,
  onNavigate,
}: {
  surfaces: readonly SurfaceLink[];
  onNavigate?: () => void;
}) {
  const tenantId = useTenantId();
  const pathname = usePathname();
  // The phone's menu is a second navigation on the page.
  const id = useId();
  return (
    <nav aria-label="Main">
      {groupsOf(surfaces).map((group) => (
        <section key={group.name} aria-labelledby={`${id}-${group.name}`}>
          <h2
            id={`${id}-${group.name}`}
            className="px-2 pt-3 pb-1 text-xs font-medium text-muted lg:[@media(max-height:60rem)]:pt-2 lg:[@media(max-height:60rem)]:pb-0.5"
          >
            {group.name}
          </h2>
          <ul className="flex flex-col gap-0.5 lg:[@media(max-height:60rem)]:gap-0">
            {group.sections.map(({ path, name, icon: Icon }) => {
              const href = addressOf(tenantId, path);
              const current = pathname === href || (path !== "" && pathname.startsWith(`${href}/`));
              return (
                <li key={path}>
                  <PrefetchLink
                    eager
                    href={href}
                    aria-current={current ? "page" : undefined}
                    onClick={onNavigate}
                    className={classes(
                      "flex h-8 items-center gap-2.5 rounded-md px-2 font-medium",
                      "transition-colors duration-100 max-lg:h-11",
                      "lg:[@media(max-height:60rem)]:h-7",
                      current ? "bg-selected text-ink" : "text-muted hover:bg-hover hover:text-ink",
                    )}
                  >
                    <Icon aria-hidden className="size-4" />
                    {name}
                  </PrefetchLink>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </nav>
  );
}
