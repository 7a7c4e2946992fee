import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

export type Tone = "neutral" | "good" | "info" | "warning" | "danger";

/** A status as word, icon and colour: never colour alone. */
export function Badge({
  tone,
  icon: Icon,
  children,
}: {
  tone: Tone;
  icon: LucideIcon;
  children: ReactNode;
}) {
  return (
    <span
      data-tone={tone}
      className="inline-flex h-6 items-center gap-1.5 rounded-sm border border-tone-line bg-tone-soft pr-2 pl-1.5 text-xs font-semibold whitespace-nowrap text-tone-ink"
    >
      <Icon aria-hidden className="size-3.5" strokeWidth={2.25} />
      {children}
    </span>
  );
}
