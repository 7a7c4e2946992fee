import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { Entry } from "#lib/entries/contract.ts";
import type { EntryPreview } from "#lib/entries/rules/contract.ts";
import { Row, Table } from "../statement/table.tsx";
import { KIND_LABELS } from "./labels.ts";

type Draft = EntryPreview["entries"][number];

export function EntryTable({
  caption,
  entries,
}: {
  caption: string;
  entries: readonly (Draft & Partial<Entry>)[];
}) {
  return (
    <Table caption={caption} columns={["Entry", "Amount"]}>
      {entries.map((entry, at) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: entries keep their places
          key={at}
          head={<EntryHead entry={entry} />}
          cells={[
            <span key="amount" className="whitespace-nowrap">
              {formatMoney(entry.amount_minor, entry.currency)}
            </span>,
          ]}
        />
      ))}
    </Table>
  );
}

function EntryHead({ entry }: { entry: Draft & Partial<Entry> }) {
  const { text, kind, value_date, tax_code, cost_center, reverses, debit_account, credit_account } =
    entry;
  const hints = [
    reverses && `Reverses ${reverses}`,
    KIND_LABELS[kind],
    formatDay(value_date, "UTC"),
    tax_code && `Tax ${tax_code}`,
    cost_center && `Cost centre ${cost_center}`,
  ].filter(Boolean);
  return (
    <>
      <span className="wrap-anywhere">{text || KIND_LABELS[kind]}</span>
      <span className="block wrap-anywhere">
        Debit <span className="font-medium">{debit_account}</span>, credit{" "}
        <span className="font-medium">{credit_account}</span>
      </span>
      <span className="block text-xs wrap-anywhere text-muted">{hints.join(" · ")}</span>
    </>
  );
}
