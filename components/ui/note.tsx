import { CircleAlert, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

const ICONS = { info: Info, warning: TriangleAlert, danger: CircleAlert } satisfies Record<
  string,
  LucideIcon
>;

/** A note inside a form or panel. */
export function Note({ tone, children }: { tone: keyof typeof ICONS; children: ReactNode }) {
  const Icon = ICONS[tone];
  return (
    <div
      data-tone={tone}
      className="flex gap-2.5 rounded-md border border-tone-line bg-tone-soft px-3 py-2 text-sm text-tone-ink"
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 wrap-break-word">{children}</div>
    </div>
  );
}
