import type { ReactNode } from "react";

/** A page's key figures. */
export function Figures({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-2 gap-3 @3xl:grid-cols-4">{children}</dl>;
}

/** `children` is the line below the number. */
export function Figure({
  name,
  value,
  children,
}: {
  name: string;
  value: string;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-col rounded-lg border border-line bg-raised px-4 py-3 shadow-raised">
      <dt className="text-sm font-medium text-muted">{name}</dt>
      <dd className="text-2xl font-semibold tracking-tight tabular-nums">{value}</dd>
      {children && <dd className="text-sm text-muted tabular-nums">{children}</dd>}
    </div>
  );
}
