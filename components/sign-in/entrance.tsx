import type { ReactNode } from "react";
import { Brand } from "#components/kit/brand.tsx";

/** A page for users who aren't signed in: the product's name, and one thing to do. */
export function Entrance({
  title,
  intro,
  children,
  below,
}: {
  title: string;
  intro?: ReactNode;
  children: ReactNode;
  below?: ReactNode;
}) {
  return (
    <main
      id="content"
      className="mx-auto flex min-h-dvh w-full max-w-md flex-col justify-center gap-6 px-4 py-10"
    >
      <div className="flex flex-col items-center gap-3 text-center">
        <Brand className="text-2xl" />
        <p className="max-w-sm text-muted text-balance">
          Reconcile two sets of records, and resolve every exception before its deadline.
        </p>
      </div>
      <div className="flex flex-col gap-5 rounded-lg border border-line bg-surface p-5 shadow-raised sm:p-7">
        <div className="flex flex-col gap-1">
          <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
          {intro && <p className="text-sm text-muted">{intro}</p>}
        </div>
        {children}
      </div>
      <div className="text-center text-sm text-muted">{below}</div>
    </main>
  );
}

/** The class of text links on these pages, which are at least 24 px high. */
export const ENTRANCE_LINK =
  "inline-flex min-h-6 items-center font-medium " +
  "text-accent-text underline-offset-2 hover:underline";
