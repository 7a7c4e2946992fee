import type { ReactNode } from "react";

export function PageHeader({ tenantName, title, children }: { tenantName: string; title: string; children?: ReactNode }) {
  return (
    <header className="px-4 pt-4 pb-3 sm:px-6 sm:pb-4 lg:pt-6">
      <nav aria-label="Breadcrumb">
        <ol className="flex text-sm text-muted">
          <li>{tenantName}</li>
          <li aria-current="page" className="before:px-1.5 before:content-['/']">
            {title}
          </li>
        </ol>
      </nav>
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {children}
      </div>
    </header>
  );
}
