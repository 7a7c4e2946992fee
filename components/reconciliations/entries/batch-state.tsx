import { CircleCheck, CircleDot } from "lucide-react";
import { Badge } from "#components/ui/badge.tsx";
import { formatMoney } from "#components/ui/money.ts";
import type { EntryBatch } from "#lib/entries/contract.ts";

export function BatchState({ state }: Pick<EntryBatch, "state">) {
  return state === "exported" ? (
    <Badge tone="good" icon={CircleCheck}>
      Exported
    </Badge>
  ) : (
    <Badge tone="info" icon={CircleDot}>
      Ready
    </Badge>
  );
}

/** What is debited, which is also what is credited, by currency. */
export function sumsText({ sums }: Pick<EntryBatch, "sums">): string {
  return sums.map(({ debit_minor, currency }) => formatMoney(debit_minor, currency)).join(" · ");
}
