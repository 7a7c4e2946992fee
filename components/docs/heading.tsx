import type { ReactNode } from "react";

const CLASSES = {
  h2: "mt-4 text-xl font-semibold tracking-tight",
  h3: "mt-2 text-lg font-semibold tracking-tight",
} as const;

/** A heading that can be linked to. */
export function Heading({
  level: Level = "h2",
  id,
  children,
}: {
  level?: keyof typeof CLASSES;
  id: string;
  children: ReactNode;
}) {
  return (
    <Level id={id} className={`group/heading scroll-mt-20 ${CLASSES[Level]}`}>
      <a
        href={`#${id}`}
        className="rounded-sm hover:underline hover:decoration-line hover:underline-offset-4"
      >
        {children}
        <span
          aria-hidden
          className="ml-2 font-normal text-muted opacity-0 group-hover/heading:opacity-100"
        >
          #
        </span>
      </a>
    </Level>
  );
}
