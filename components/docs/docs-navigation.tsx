"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import { classes } from "#components/ui/classes.ts";
import { DocsLink } from "./docs-link.tsx";

/** `children` show below `href`. `code`: the title is an identifier. */
export type NavigationPage = {
  href: string;
  title: string;
  code?: boolean;
  children?: NavigationPage[];
};
export type NavigationGroup = { title: string; pages: NavigationPage[] };

export function DocsNavigation({ groups }: { groups: readonly NavigationGroup[] }) {
  const pathname = usePathname();
  const navigation = useRef<HTMLElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the current page's link is another one on each path
  useEffect(() => {
    navigation.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest" });
  }, [pathname]);

  return (
    <nav ref={navigation} aria-label="Documentation" className="flex flex-col gap-5">
      {groups.map(({ title, pages }) => (
        <div key={title}>
          <p aria-hidden className="px-2 pb-1 text-xs font-semibold text-muted">
            {title}
          </p>
          <Pages label={title} pages={pages} pathname={pathname} />
        </div>
      ))}
    </nav>
  );
}

function Pages({
  label,
  pages,
  pathname,
}: {
  label: string;
  pages: readonly NavigationPage[];
  pathname: string;
}) {
  return (
    <ul aria-label={label} className="flex flex-col">
      {pages.map(({ href, title, code, children }) => {
        const within =
          children !== undefined && (pathname === href || pathname.startsWith(`${href}/`));
        return (
          <li key={href}>
            <DocsLink
              href={href}
              aria-current={pathname === href ? "page" : undefined}
              onClick={closeMenu}
              className={classes(
                "flex min-h-7 items-center rounded-md px-2 py-1 text-sm transition-colors",
                "duration-100 max-lg:min-h-10",
                code && "font-mono text-xs wrap-anywhere",
                pathname === href
                  ? "bg-selected font-medium text-ink"
                  : "text-muted hover:bg-hover hover:text-ink",
              )}
            >
              {title}
            </DocsLink>
            {within && (
              <div className="my-0.5 ml-3 border-l border-line pl-1.5">
                <Pages label={title} pages={children} pathname={pathname} />
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** On a narrow screen the navigation is a popover over the page. */
function closeMenu(event: { currentTarget: HTMLElement }): void {
  event.currentTarget.closest<HTMLElement>("[popover]:popover-open")?.hidePopover();
}
