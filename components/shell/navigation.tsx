"use client";

import { usePathname } from "next/navigation";
import { useTenantId } from "#components/kit/member.tsx";
import { classes } from "#components/ui/classes.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { type SurfaceLink, sectionsOf } from "./sections.ts";

export function Navigation({ surfaces, onNavigate }: { surfaces: readonly SurfaceLink[]; onNavigate?: () => void }) {
  const tenantId = useTenantId();
  const pathname = usePathname();
  return (
    <nav aria-label="Main">
      <ul className="flex flex-col gap-0.5">
        {sectionsOf(surfaces).map(({ path, name, icon: Icon }) => {
          const href = `/${tenantId}/${path}`;
          const current = pathname === href || pathname.startsWith(`${href}/`);
          return (
            <li key={path}>
              <PrefetchLink
                eager
                href={href}
                aria-current={current ? "page" : undefined}
                onClick={onNavigate}
                className={classes(
                  "flex h-8 items-center gap-2.5 rounded-md px-2 font-medium transition-colors duration-100 max-lg:h-11",
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
