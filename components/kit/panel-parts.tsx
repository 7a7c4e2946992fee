import type { ReactNode, Ref } from "react";
import { Skeleton } from "#components/ui/skeleton.tsx";

/** The content of a panel. */
export function PanelBody({ children }: { children: ReactNode }) {
  return <div className="flex flex-1 flex-col gap-6 px-6 pb-8">{children}</div>;
}

/** The actions of a panel, below its body and always in view. */
export function PanelDock({ children }: { children: ReactNode }) {
  return (
    <div className="pinned sticky bottom-0 z-10 border-t border-line bg-surface px-6 py-3 max-sm:px-4">
      {children}
    </div>
  );
}

/** `ref` lets a caller focus it when the focused button disappears. */
export function PanelTitle({
  ref,
  children,
}: {
  ref?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}) {
  return (
    <h2
      ref={ref}
      tabIndex={-1}
      className="self-stretch text-xl font-semibold tracking-tight text-pretty wrap-break-word outline-none"
    >
      {children}
    </h2>
  );
}

/** The top of a panel: status, title, description. */
export function PanelHead({ children }: { children: ReactNode }) {
  return <div className="flex flex-col items-start gap-2">{children}</div>;
}

export function PanelSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">{title}</h3>
      {children}
    </section>
  );
}

export function PanelSkeleton({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-4 px-6">
      <Skeleton className="h-5 w-24" />
      <Skeleton className="h-6 w-3/4" />
      <Skeleton className="mt-4 h-40 w-full" />
      <Skeleton className="h-32 w-full" />
    </div>
  );
}
