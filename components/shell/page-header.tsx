import Link from "next/link";
import type { ReactNode } from "react";

const CRUMB = "before:px-1.5 before:content-['/']";

export function PageHeader({
  tenantName,
  parent,
  title,
  children,
}: {
  tenantName: string;
  /** The page that this one is below of. */
  parent?: { name: string; href: string };
  title: string;
  children?: ReactNode;
}) {
  return (
    <header className="px-4 pt-4 pb-3 sm:px-6 sm:pb-4 lg:pt-6">
      <nav aria-label="Breadcrumb">
        <ol className="flex min-w-0 text-sm text-muted">
          <li className="shrink-0">{tenantName}</li>
          {parent && (
            <li className={`shrink-0 ${CRUMB}`}>
              <Link href={parent.href} className="hover:text-ink hover:underline">
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
        {children}
      </div>
    </header>
  );
}
