import type { LucideIcon } from "lucide-react";

/** A state in a table, where most rows are alike: without a badge's colour. */
export function StateText({
  icon: Icon,
  isGood,
  children,
}: {
  icon: LucideIcon;
  isGood: boolean;
  children: string;
}) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <Icon aria-hidden className={isGood ? "size-3.5 text-accent-text" : "size-3.5 text-muted"} />
      {children}
    </span>
  );
}
