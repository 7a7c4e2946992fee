"use client";

import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";

/**
 * A collapsible section that mounts its content when it is first opened. `open` says whether it
 * starts open.
 */
export function Disclosure({
  title,
  open = false,
  children,
}: {
  title: string;
  open?: boolean;
  children: ReactNode;
}) {
  const [opened, setOpened] = useState(open);
  return (
    <details
      open={open}
      className="group border-t border-line pt-2"
      onToggle={({ newState }) => newState === "open" && setOpened(true)}
    >
      <summary className="-mx-2 flex min-h-9 cursor-pointer list-none items-center gap-1.5 rounded-md px-2 text-sm font-medium select-none hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 text-muted transition-transform duration-100 group-open:rotate-90"
        />
        {title}
      </summary>
      {opened && <div className="pt-2 pb-1">{children}</div>}
    </details>
  );
}
