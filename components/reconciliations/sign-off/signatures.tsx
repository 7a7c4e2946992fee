import { PenLine } from "lucide-react";
import { ActorName } from "#components/people/actor-name.tsx";
import type { PeriodSignature } from "#lib/reconciliations/contract.ts";

/** The signatures in order; renders nothing without any. */
export function Signatures({ signatures }: { signatures: readonly PeriodSignature[] }) {
  if (signatures.length === 0) return null;
  return (
    <ul className="flex flex-col gap-2 text-sm" aria-label="Signatures">
      {signatures.map((signature) => (
        <li key={signature.level} className="flex items-start gap-2">
          <PenLine aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
          <span className="min-w-0 wrap-anywhere">
            {labelOf(signature)} <ActorName iso={signature.signed_at} actor={signature.signed_by} />
            {signature.note && <span className="block text-muted">{signature.note}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

function labelOf({ kind, level }: PeriodSignature): string {
  switch (kind) {
    case "prepared":
      return "Prepared";
    case "reviewed":
      return level > 1 ? `Reviewed, level ${level},` : "Reviewed";
  }
}
