import type { ReactNode } from "react";
import { classes } from "#components/ui/classes.ts";
import { CopyButton } from "#components/ui/copy-button.tsx";

/** A description list. `ruled` adds a line above, to separate it from other parts of a panel. */
export function Facts({ ruled = false, children }: { ruled?: boolean; children: ReactNode }) {
  return (
    <dl
      className={classes(
        "grid w-full grid-cols-[8rem_minmax(0,1fr)] gap-x-3 gap-y-2.5 text-sm",
        ruled && "border-t border-line pt-5",
      )}
    >
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="min-w-0 wrap-break-word text-muted">{name}</dt>
      <dd className="min-w-0 wrap-break-word">{children}</dd>
    </>
  );
}

/** A fact in monospace: a code, an address. */
export function CodeFact({ name, value }: { name: string; value: string }) {
  return (
    <Fact name={name}>
      <code className="font-mono text-xs">{value}</code>
    </Fact>
  );
}

/** An ID: truncated if there's no room, copied in full. */
export function IdentifierFact({
  name,
  value,
  copy = `Copy the ${name.toLowerCase()}`,
}: {
  name: string;
  value: string;
  /** The label of the button. */
  copy?: string;
}) {
  return (
    <Fact name={name}>
      <span className="-my-1.5 flex items-center">
        <code className="truncate font-mono text-xs">{value}</code>
        <CopyButton text={value} label={copy} />
      </span>
    </Fact>
  );
}
