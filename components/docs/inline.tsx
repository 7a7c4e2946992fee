import type { ReactNode } from "react";

/** A sentence of the contracts, with code in backticks. */
export function Inline({ text }: { text: string }): ReactNode {
  return text.split(/(`[^`]+`)/).map((part, index) =>
    part.startsWith("`") ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change their order
      <code key={index} className="rounded-sm bg-selected px-1 font-mono text-xs wrap-break-word">
        {part.slice(1, -1)}
      </code>
    ) : (
      part
    ),
  );
}
