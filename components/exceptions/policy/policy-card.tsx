import { type ReactNode, useId } from "react";

export function PolicyCard({
  title,
  hint,
  children,
}: {
  title: string;
  hint: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="flex flex-col gap-4 rounded-lg border border-line bg-raised p-4 shadow-raised sm:p-5"
    >
      <div>
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <p className="text-sm text-pretty text-muted">{hint}</p>
      </div>
      <div className="flex flex-col gap-3">{children}</div>
    </section>
  );
}
