import type { ComponentProps, ReactNode } from "react";
import { Notice } from "#components/ui/notice.tsx";

/** A part of a source's page, under its heading. */
export function Section({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg font-semibold tracking-tight">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}

/** Shown in a section that has nothing to list. */
export function SectionNotice(props: ComponentProps<typeof Notice>) {
  return (
    <div className="rounded-lg border border-line">
      <Notice {...props} />
    </div>
  );
}
