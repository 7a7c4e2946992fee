"use client";

import { useQuery } from "@tanstack/react-query";
import { ArrowDownNarrowWide, ChevronDown, X } from "lucide-react";
import type { ReactNode } from "react";
import { FacetMenu, type FacetOption } from "#components/kit/facet-menu.tsx";
import { ClearFilters } from "#components/kit/filters.tsx";
import { useMember } from "#components/kit/member.tsx";
import { Person, personName } from "#components/people/person.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { SearchField } from "#components/ui/search-field.tsx";
import { Time } from "#components/ui/time.tsx";
import { OPEN_STATUSES, SLA_SORTS, STATUSES } from "#lib/exceptions/contract.ts";
import { type Facet, ME, NONE } from "#lib/exceptions/filters/contract.ts";
import type { SlaFacets } from "#lib/exceptions/sla/contract.ts";
import { BREACH_RISKS } from "#lib/wire/facts.gen.ts";
import { CHOICE_NAMES, choiceFieldOf, fieldLabel } from "../fields.tsx";
import { RISK_LABELS, reasonLabel, SORT_LABELS, STATUS_LABELS } from "../labels.tsx";
import { ReconciliationName } from "../names.tsx";
import { facetsOf } from "../queries.ts";
import { SaveView } from "../views/save-view.tsx";
import type { BoardSearch } from "./search.ts";

type Props = {
  search: BoardSearch;
  onChange: (change: Partial<BoardSearch>) => void;
  onClear: (() => void) | false;
  /** Shown before the filters. */
  children: ReactNode;
};

/** The minimum amounts to choose from, in hundreds of the minor unit, if one currency is chosen. */
const AMOUNTS = [10_000, 100_000, 1_000_000, 10_000_000];
const ANY = "any";

/** The limit of the counts, which one call doesn't exceed. */
const INCOMPLETE = {
  open: "Counts cover the 20,000 nearest deadlines.",
  closed: "Counts cover the 20,000 closed last.",
  all: "Counts cover the 20,000 newest.",
} as const;

export function BoardFilters({ search, onChange, onClear, children }: Props) {
  const { tenant, self } = useMember();
  const { data } = useQuery(facetsOf(tenant.id, search));
  const facets = data?.facets;
  const { state } = search;
  const count = (facet: Facet, value: string) => noteOf(facets, facet, value, data?.complete);
  const known = <Value extends string>(
    facet: Facet,
    values: readonly Value[],
    labels: Record<Value, string>,
  ): FacetOption<Value>[] =>
    values.map((value) => ({ value, optionLabel: labels[value], note: count(facet, value) }));
  const found = (
    facet: Facet,
    labelOf: (value: string, name: string | null) => ReactNode,
  ): FacetOption<string>[] => {
    const counted = facets?.[facet] ?? [];
    const chosen = (search[facet] ?? []) as readonly string[];
    const absent = chosen.filter(
      (value) => value !== ME && !counted.some((item) => item.value === value),
    );
    return [...counted, ...absent.map((value) => ({ value, name: null }))].map(
      ({ value, name }) => ({
        value,
        optionLabel: labelOf(value, name),
        note: count(facet, value),
      }),
    );
  };
  const people = found("assigned_to", (value) =>
    value === NONE ? "Unassigned" : personName(value),
  );
  const hint = data?.complete === false && INCOMPLETE[state];
  const [currency, ...others] = search.currency ?? [];
  const oneCurrency = others.length === 0 && currency !== NONE ? currency : undefined;
  const statuses = STATUSES.filter(
    (status) =>
      state === "all" || (state === "open") === OPEN_STATUSES.some((open) => open === status),
  );

  return (
    <search className="scrollbar-none flex gap-2 max-sm:flex-col sm:flex-wrap short:sm:-m-1 short:sm:flex-nowrap short:sm:overflow-x-auto short:sm:p-1 short:sm:*:shrink-0">
      {children}
      <SearchField
        label="Search exceptions"
        value={search.q ?? ""}
        onChange={(q) => onChange({ q: q || null })}
      />
      <div className="scrollbar-none relative -my-1 flex items-center gap-2 py-1 max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 sm:contents">
        {state === "open" && (
          <>
            <div className="sm:ml-auto">
              <Menu
                align="end"
                label="Sort by"
                triggerClass={buttonClass({ size: "sm" })}
                trigger={
                  <>
                    <ArrowDownNarrowWide aria-hidden className="size-4 text-muted" />
                    <span className="sr-only">Sort by</span> {SORT_LABELS[search.sortBy]}
                    <ChevronDown aria-hidden className="size-3.5 opacity-70" />
                  </>
                }
              >
                <MenuChoice
                  label="Sort by"
                  value={search.sortBy}
                  options={SLA_SORTS.map((sort) => ({ value: sort, label: SORT_LABELS[sort] }))}
                  onChange={(sortBy) => onChange({ sortBy })}
                />
              </Menu>
            </div>
            {/* Moves the filters to the next line. */}
            <span className="basis-full max-sm:hidden short:hidden" />
          </>
        )}
        {state === "open" && (
          <FacetMenu
            hint={hint}
            name="Risk"
            values={
              search.breach_risk?.flatMap((risk) =>
                risk === "at_risk" ? (["high", "medium"] as const) : [risk],
              ) ?? null
            }
            options={known("breach_risk", BREACH_RISKS, RISK_LABELS)}
            onChange={(breach_risk) => onChange({ breach_risk })}
          />
        )}
        {CHOICE_NAMES.map((name) => {
          const { values, labels } = choiceFieldOf(name);
          return (
            <FacetMenu
              key={name}
              hint={hint}
              name={fieldLabel(name)}
              values={search[name]}
              options={known(name, values, labels)}
              onChange={(chosen) => onChange({ [name]: chosen } as Partial<BoardSearch>)}
            />
          );
        })}
        <FacetMenu
          hint={hint}
          name={fieldLabel("assigned_to")}
          values={search.assigned_to}
          options={[
            { value: ME, optionLabel: "Me", note: count("assigned_to", self) },
            ...people.filter(({ value }) => value === NONE),
            ...people
              .filter(
                ({ value }) =>
                  value !== NONE && (value !== self || search.assigned_to?.includes(self)),
              )
              .map((option) => ({ ...option, label: <Person reference={option.value} /> })),
          ]}
          onChange={(assigned_to) => onChange({ assigned_to })}
        />
        <FacetMenu
          hint={hint}
          name={fieldLabel("status")}
          values={search.status}
          options={known("status", statuses, STATUS_LABELS)}
          onChange={(status) => onChange({ status })}
        />
        <FacetMenu
          hint={hint}
          name={fieldLabel("reason_code")}
          values={search.reason_code}
          options={found("reason_code", (value) => (value === NONE ? "None" : reasonLabel(value)))}
          onChange={(reason_code) => onChange({ reason_code })}
        />
        <FacetMenu
          hint={hint}
          name={fieldLabel("reconciliation_id")}
          values={search.reconciliation_id}
          options={found("reconciliation_id", (value, name) =>
            value === NONE ? "None" : (name ?? <ReconciliationName id={value} />),
          )}
          onChange={(reconciliation_id) => onChange({ reconciliation_id })}
        />
        <FacetMenu
          hint={hint}
          name="Money"
          values={search.currency}
          options={moneyOptions(facets, found)}
          onChange={(next) =>
            onChange({ currency: next, ...(next?.length !== 1 && { amount_from: null }) })
          }
        >
          {oneCurrency && (
            <MenuChoice
              label="Amount"
              value={search.amount_from === null ? ANY : String(search.amount_from)}
              options={[
                { value: ANY, label: "Any amount" },
                ...AMOUNTS.map((amount) => ({
                  value: String(amount),
                  label: `${formatMoney(amount, oneCurrency)} or more`,
                })),
              ]}
              onChange={(amount) =>
                onChange({ amount_from: amount === ANY ? null : Number(amount) })
              }
            />
          )}
        </FacetMenu>
        <MomentFilter
          name="Due"
          before={search.due_before}
          onRemove={() => onChange({ due_before: null })}
        />
        <MomentFilter
          name="Breached"
          from={search.breached_from}
          before={search.breached_before}
          onRemove={() => onChange({ breached_from: null, breached_before: null })}
        />
        <MomentFilter
          name="Closed"
          from={search.closed_from}
          before={search.closed_before}
          onRemove={() => onChange({ closed_from: null, closed_before: null })}
        />
        {onClear && (
          <>
            <ClearFilters onClear={onClear} />
            <SaveView search={search} />
          </>
        )}
      </div>
    </search>
  );
}

/** A time filter from a link, which can only be removed. */
function MomentFilter({
  name,
  from = null,
  before,
  onRemove,
}: {
  name: string;
  from?: string | null;
  before: string | null;
  onRemove: () => void;
}) {
  if (from === null && before === null) return null;
  return (
    <Button size="sm" variant="selected" onClick={onRemove}>
      <span>
        <span className="sr-only">Remove the filter </span>
        {name} {from === null ? "before" : before === null ? "since" : "from"}{" "}
        {from !== null && <Time iso={from} />}
        {from !== null && before !== null && " to "}
        {before !== null && <Time iso={before} />}
      </span>
      <X aria-hidden className="size-3.5" />
    </Button>
  );
}

function noteOf(
  facets: SlaFacets["facets"] | undefined,
  facet: Facet,
  value: string,
  complete: boolean | undefined,
): string {
  if (!facets) return "";
  const count = facets[facet].find((candidate) => candidate.value === value)?.count ?? 0;
  return `${count.toLocaleString("en")}${complete ? "" : "+"}`;
}

/** Options that also show the sum at risk. */
function moneyOptions(
  facets: SlaFacets["facets"] | undefined,
  found: (facet: Facet, labelOf: (value: string) => ReactNode) => FacetOption<string>[],
): FacetOption<string>[] {
  return found("currency", (value) => (value === NONE ? "No amount" : value)).map((option) => {
    const sum = facets?.currency.find(({ value }) => value === option.value)?.amount_minor;
    return typeof sum === "number"
      ? { ...option, note: `${formatMoney(sum, option.value)} · ${option.note}` }
      : option;
  });
}
