import { ArrowLeft, ArrowRight } from "lucide-react";
import { DocsLink } from "./docs-link.tsx";

type Neighbour = { href: string; title: string };

const LINK_CLASS =
  "flex min-h-14 min-w-0 flex-1 flex-col justify-center gap-0.5 rounded-lg border border-line " +
  "px-4 py-2.5 hover:bg-hover";

/** The page before and the one after. */
export function PreviousNext({ previous, next }: { previous?: Neighbour; next?: Neighbour }) {
  return (
    <nav
      aria-label="Previous and next page"
      className="mt-8 flex gap-3 border-t border-line pt-6 max-sm:flex-col"
    >
      {previous ? (
        <DocsLink href={previous.href} className={LINK_CLASS}>
          <span className="flex items-center gap-1 text-xs text-muted">
            <ArrowLeft aria-hidden className="size-3.5" />
            Previous
          </span>
          <span className="truncate font-medium">{previous.title}</span>
        </DocsLink>
      ) : (
        <span className="flex-1 max-sm:hidden" />
      )}
      {next ? (
        <DocsLink href={next.href} className={`${LINK_CLASS} items-end text-right`}>
          <span className="flex items-center gap-1 text-xs text-muted">
            Next
            <ArrowRight aria-hidden className="size-3.5" />
          </span>
          <span className="max-w-full truncate font-medium">{next.title}</span>
        </DocsLink>
      ) : (
        <span className="flex-1 max-sm:hidden" />
      )}
    </nav>
  );
}

/** The previous and next page in a list. */
export function neighbours<Page extends { href: string }>(
  pages: readonly Page[],
  href: string,
): { previous?: Page; next?: Page } {
  const at = pages.findIndex((page) => page.href === href);
  return { previous: pages[at - 1], next: pages[at + 1] };
}
