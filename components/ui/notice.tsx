import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** What stands in the place of content: empty, nothing matches, an error, no permission. */
export function Notice({
  icon: Icon,
  title,
  children,
  action,
  footnote,
}: {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
  footnote?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center gap-3 px-4 py-16 text-center">
      <span className="flex size-10 items-center justify-center rounded-lg border border-line bg-raised text-muted shadow-raised">
        <Icon aria-hidden className="size-5" />
      </span>
      <h2 className="text-lg font-semibold text-balance">{title}</h2>
      <div className="text-base text-pretty text-muted">{children}</div>
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
      {footnote && <p className="mt-1 font-mono text-xs break-all text-muted">{footnote}</p>}
    </div>
  );
}
