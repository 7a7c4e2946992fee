"use client";

import { useState } from "react";
import { DateField } from "#components/ui/date-field.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney, parseMoney, plainMoney } from "#components/ui/money.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { FilterPopover } from "./filter-popover.tsx";

type Days = { date_from: string | null; date_to: string | null };
type Amounts = { amount_from: number | null; amount_to: number | null };
type Filter<Range> = { search: Range; onChange: (change: Range) => void };

/** Filters by a range of value dates. */
export function DateFilter({ search: { date_from, date_to }, onChange }: Filter<Days>) {
  const day = (iso: string) => formatDay(iso, "UTC");
  return (
    <FilterPopover
      name="Value date"
      value={formatRange(date_from, date_to, day)}
      onApply={(fields) => {
        onChange({
          date_from: String(fields.get("from")) || null,
          date_to: String(fields.get("to")) || null,
        });
        return true;
      }}
      onClear={() => onChange({ date_from: null, date_to: null })}
    >
      <DayField label="From" name="from" initial={date_from} />
      <DayField label="To" name="to" initial={date_to} />
    </FilterPopover>
  );
}

function DayField({
  label,
  name,
  initial,
}: {
  label: string;
  name: string;
  initial: string | null;
}) {
  const [day, setDay] = useState(initial ?? "");
  return <DateField label={label} name={name} value={day} onChange={setDay} />;
}

type Wrong = { from?: string; to?: string };

const NO_AMOUNT = "Enter an amount, for example -12.50.";

/** Filters by amounts in minor units, entered in the currency's main unit. */
export function AmountFilter({
  search: { amount_from, amount_to },
  onChange,
  currency,
}: Filter<Amounts> & { currency: string }) {
  const [wrong, setWrong] = useState<Wrong>({});

  function apply(fields: FormData, isDone: boolean): boolean {
    const [from, to] = ["from", "to"].map((name) => {
      const text = String(fields.get(name)).trim();
      return text === "" ? null : (parseMoney(text, String(fields.get("currency"))) ?? undefined);
    });
    // An incomplete input isn't an error yet.
    setWrong(
      isDone
        ? {
            ...(from === undefined && { from: NO_AMOUNT }),
            ...(to === undefined && { to: NO_AMOUNT }),
          }
        : {},
    );
    if (from === undefined || to === undefined) return false;
    onChange({ amount_from: from, amount_to: to });
    return true;
  }

  return (
    <FilterPopover
      name="Amount"
      value={formatRange(amount_from, amount_to, (amount) => formatMoney(amount, currency))}
      onApply={apply}
      onClear={() => onChange({ amount_from: null, amount_to: null })}
    >
      <AmountFields search={{ amount_from, amount_to }} currency={currency} wrong={wrong} />
    </FilterPopover>
  );
}

/**
 * Keeps the currency of the first render: it comes from the listed lines, which change while the
 * user types.
 */
function AmountFields({
  search: { amount_from, amount_to },
  currency: listed,
  wrong,
}: {
  search: Amounts;
  currency: string;
  wrong: Wrong;
}) {
  const [currency] = useState(listed);
  const typed = (amount: number | null) => (amount === null ? "" : plainMoney(amount, currency));
  return (
    <>
      <TextField
        label={`From (${currency})`}
        name="from"
        inputMode="text"
        autoComplete="off"
        placeholder="-12.50"
        error={wrong.from}
        defaultValue={typed(amount_from)}
      />
      <TextField
        label={`To (${currency})`}
        name="to"
        inputMode="text"
        autoComplete="off"
        error={wrong.to}
        hint="Money out has a minus."
        defaultValue={typed(amount_to)}
      />
      <input type="hidden" name="currency" value={currency} />
    </>
  );
}

function formatRange<Value>(
  from: Value | null,
  to: Value | null,
  format: (value: Value) => string,
): string | null {
  if (from !== null && to !== null)
    return from === to ? format(from) : `${format(from)} to ${format(to)}`;
  if (from !== null) return `From ${format(from)}`;
  return to === null ? null : `To ${format(to)}`;
}
