"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { useMember } from "./member.tsx";

const CRUMB = "before:px-1.5 before:content-['/']";

/** A dashboard page: breadcrumb, title, actions and content. */
export function Page({
  title,
  parent,
  actions,
  children,
}: {
  title: string;
  /** The parent page. `path` is relative to the tenant. */
  parent?: { name: string; path: string };
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { tenant } = useMember();
  return (
    <>
      <header className="px-4 pt-4 pb-3 sm:px-6 sm:pb-4 lg:pt-6 short:pt-2 short:pb-2">
        <nav
          aria-label="Breadcrumb"
          className={parent ? "print:hidden" : "print:hidden short:hidden"}
        >
          <ol className="flex min-w-0 text-sm text-muted">
            <li className="shrink-0">
              <Link href={`/${tenant.id}`} className="hover:text-ink hover:underline">
                {tenant.name}
              </Link>
            </li>
            {parent && (
              <li className={`max-w-1/2 min-w-12 truncate ${CRUMB}`}>
                <Link
                  href={`/${tenant.id}/${parent.path}`}
                  className="hover:text-ink hover:underline"
                >
                  {parent.name}
                </Link>
              </li>
            )}
            <li aria-current="page" className={`truncate ${CRUMB}`}>
              {title}
            </li>
          </ol>
        </nav>
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight wrap-break-word">{title}</h1>
          {actions}
        </div>
      </header>
      <div className="@container px-4 pb-10 sm:px-6">{children}</div>
    </>
  );
}
