"use client";

import { usePathname } from "next/navigation";
import { useTenantId } from "#components/kit/member.tsx";
import { classes } from "#components/ui/classes.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { addressOf, type SurfaceLink, sectionsOf } from "./sections.ts";

export function Navigation({
  surfaces,
  onNavigate,
}: {
  surfaces: readonly SurfaceLink[];
  onNavigate?: () => void;
}) {
  const tenantId = useTenantId();
  const pathname = usePathname();
  return (
    <nav aria-label="Main">
      <ul className="flex flex-col gap-0.5 lg:[@media(max-height:60rem)]:gap-0">
        {sectionsOf(surfaces).map(({ path, name, icon: Icon }) => {
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
                  "flex h-8 items-center gap-2.5 rounded-md px-2 font-medium transition-colors duration-100 max-lg:h-11 lg:[@media(max-height:60rem)]:h-7",
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
    </nav>
  );
}
