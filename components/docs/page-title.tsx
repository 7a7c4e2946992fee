import type { ReactNode } from "react";
import { DocsLink } from "./docs-link.tsx";

/** Breadcrumb, title and introduction. */
export function PageTitle({
  trail = [],
  title,
  children,
}: {
  trail?: readonly { name: string; href: string }[];
  title: ReactNode;
  children?: ReactNode;
}) {
  return (
    <header className="flex flex-col gap-3">
      {trail.length > 0 && (
        <nav aria-label="Breadcrumb">
          <ol className="flex flex-wrap gap-x-1.5 text-sm text-muted">
            {trail.map(({ name, href }, index) => (
              <li key={href} className="flex gap-1.5">
                {index > 0 && <span aria-hidden>/</span>}
                <DocsLink
                  href={href}
                  className="rounded-sm hover:text-ink hover:underline hover:underline-offset-2"
                >
                  {name}
                </DocsLink>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <h1 className="text-2xl font-semibold tracking-tight text-balance wrap-anywhere">{title}</h1>
      {children}
    </header>
  );
}
