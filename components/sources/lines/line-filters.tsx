"use client";

import { X } from "lucide-react";
import { useState } from "react";
import { FilterPopover } from "#components/kit/filter-popover.tsx";
import { ClearFilters, FilterMenu } from "#components/kit/filters.tsx";
import { Button } from "#components/ui/button.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney, parseMoney, plainMoney } from "#components/ui/money.ts";
import { SearchField } from "#components/ui/search-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { LINE_FILTER_STATES } from "#lib/lines/contract.ts";
import type { LineSearch } from "./search.ts";
import { SourceFilter } from "./source-filter.tsx";
import { LINE_STATE_WORDS } from "./words.tsx";

const FILTER_WORDS = { ...LINE_STATE_WORDS, outstanding: "Outstanding" };

type Props = {
  search: LineSearch;
  onChange: (change: Partial<LineSearch>) => void;
  onClear: (() => void) | false;
  /** Of the amounts that are entered. */
  currency: string;
};

export function LineFilters({ search, onChange, onClear, currency }: Props) {
  return (
    <search className="flex gap-2 pb-4 max-sm:flex-col sm:flex-wrap">
      <SearchField label="Search lines" value={search.q} onChange={(q) => onChange({ q })} />
      <div className="scrollbar-none relative -my-1 flex items-center gap-2 py-1 max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 sm:grow sm:flex-wrap">
        <SourceFilter value={search.source_id} onChange={(source_id) => onChange({ source_id, import_id: null })} />
        {search.reconciliation_id && (
          <FilterMenu
            name="Side"
            value={search.side}
            options={[
              ["left", "Left"],
              ["right", "Right"],
            ]}
            onChange={(side) => onChange({ side })}
          />
        )}
        <FilterMenu
          name="State"
          value={search.state}
          options={LINE_FILTER_STATES.map((state) => [state, FILTER_WORDS[state]] as const)}
          onChange={(state) => onChange({ state })}
        />
        <DateFilter search={search} onChange={onChange} />
        <AmountFilter search={search} onChange={onChange} currency={currency} />
        {search.currency && (
          <Button
            variant="selected"
            size="sm"
            onClick={() => onChange({ currency: null })}
            aria-label={`Only ${search.currency}: show every currency`}
          >
            {search.currency}
            <X aria-hidden className="size-3.5" />
          </Button>
        )}
        {search.import_id && (
          <Button variant="selected" size="sm" onClick={() => onChange({ import_id: null })} aria-label="Show lines of every import">
            From one import
            <X aria-hidden className="size-3.5" />
          </Button>
        )}
        {onClear && <ClearFilters onClear={onClear} />}
      </div>
    </search>
  );
}

type Range = Pick<Props, "search" | "onChange">;

function DateFilter({ search: { date_from, date_to }, onChange }: Range) {
  const day = (iso: string) => formatDay(iso, "UTC");
  return (
    <FilterPopover
      name="Value date"
      value={inWords(date_from, date_to, day)}
      onApply={(fields) => {
        onChange({ date_from: String(fields.get("from")) || null, date_to: String(fields.get("to")) || null });
        return true;
      }}
      onClear={() => onChange({ date_from: null, date_to: null })}
    >
      <TextField label="From" name="from" type="date" min="1970-01-01" max="2999-12-31" defaultValue={date_from ?? ""} />
      <TextField label="To" name="to" type="date" min="1970-01-01" max="2999-12-31" defaultValue={date_to ?? ""} />
    </FilterPopover>
  );
}

type Wrong = { from?: string; to?: string };

const NO_AMOUNT = "Enter an amount, for example -12.50.";

function AmountFilter({ search: { amount_from, amount_to }, onChange, currency }: Range & { currency: string }) {
  const [wrong, setWrong] = useState<Wrong>({});

  function apply(fields: FormData, isDone: boolean): boolean {
    const [from, to] = ["from", "to"].map((name) => {
      const text = String(fields.get(name)).trim();
      return text === "" ? null : (parseMoney(text, String(fields.get("currency"))) ?? undefined);
    });
    // What is typed halfway isn't wrong yet.
    setWrong(isDone ? { ...(from === undefined && { from: NO_AMOUNT }), ...(to === undefined && { to: NO_AMOUNT }) } : {});
    if (from === undefined || to === undefined) return false;
    onChange({ amount_from: from, amount_to: to });
    return true;
  }

  return (
    <FilterPopover
      name="Amount"
      value={inWords(amount_from, amount_to, (amount) => formatMoney(amount, currency))}
      onApply={apply}
      onClear={() => onChange({ amount_from: null, amount_to: null })}
    >
      <AmountFields search={{ amount_from, amount_to }} currency={currency} wrong={wrong} />
    </FilterPopover>
  );
}

type Amounts = { search: Pick<LineSearch, "amount_from" | "amount_to">; currency: string; wrong: Wrong };

/** In the currency that they began with: the lines listed, which it comes from, change as one types. */
function AmountFields({ search: { amount_from, amount_to }, currency: listed, wrong }: Amounts) {
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

function inWords<Value>(from: Value | null, to: Value | null, shown: (value: Value) => string): string | null {
  if (from !== null && to !== null) return from === to ? shown(from) : `${shown(from)} to ${shown(to)}`;
  if (from !== null) return `From ${shown(from)}`;
  return to === null ? null : `To ${shown(to)}`;
}
