import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

/** A row of a description list: to stand in a `dl`. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-break-word">{children}</dd>
    </>
  );
}

/** A fact whose value is an identifier: cut where there is no room, and to be copied whole. */
export function IdentifierFact({ name, value }: { name: string; value: string }) {
  return (
    <Fact name={name}>
      <span className="-my-1.5 flex items-center">
        <code className="truncate font-mono text-xs">{value}</code>
        <CopyButton text={value} label={`Copy the ${name.toLowerCase()}`} />
      </span>
    </Fact>
  );
}
