import { CircleAlert, CircleCheck, CircleDot } from "lucide-react";
import { Badge } from "#components/ui/badge.tsx";
import { formatMoney } from "#components/ui/money.ts";
import type { EntryBatch } from "#lib/entries/contract.ts";

export function BatchState({ batch: { state, push } }: { batch: EntryBatch }) {
  if (state === "exported")
    return (
      <Badge tone="good" icon={CircleCheck}>
        Exported
      </Badge>
    );
  if (push?.state === "failed" || push?.state === "stopped")
    return (
      <Badge tone="danger" icon={CircleAlert}>
        Push failed
      </Badge>
    );
  return (
    <Badge tone="info" icon={CircleDot}>
      Ready
    </Badge>
  );
}

/** The debited amount by currency, which equals the credited one. */
export function sumsText({ sums }: Pick<EntryBatch, "sums">): string {
  return sums.map(({ debit_minor, currency }) => formatMoney(debit_minor, currency)).join(" · ");
}
