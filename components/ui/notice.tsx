import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { KeepFocus } from "./keep-focus.tsx";

/** Shown instead of content: empty, no matches, an error, no permission. */
export function Notice({
  icon: Icon,
  title,
  level: Heading = "h2",
  children,
  action,
  footnote,
}: {
  icon: LucideIcon;
  title: string;
  /** h1 if it's the whole page. */
  level?: "h1" | "h2";
  children: ReactNode;
  action?: ReactNode;
  footnote?: ReactNode;
}) {
  return (
    <div className="mx-auto flex w-full max-w-xl min-w-0 flex-col items-center gap-3 px-4 py-16 text-center">
      <span className="flex size-10 items-center justify-center rounded-lg border border-line bg-raised text-muted shadow-raised">
        <Icon aria-hidden className="size-5" />
      </span>
      <Heading className="text-lg font-semibold text-balance">{title}</Heading>
      <div className="w-full min-w-0 text-base text-pretty text-muted">{children}</div>
      {action && (
        <KeepFocus className="mt-2 flex flex-wrap justify-center gap-2">{action}</KeepFocus>
      )}
      {footnote && <p className="mt-1 font-mono text-xs break-all text-muted">{footnote}</p>}
    </div>
  );
}
