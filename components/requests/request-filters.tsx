"use client";

import { FilterBar, FilterChip, FilterMenu, PeriodMenu } from "#components/kit/filters.tsx";
import { ResourceName } from "#components/kit/resource-name.tsx";
import { personName } from "#components/people/person.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { formatMoment } from "#components/ui/moment.ts";
import { ERROR_CODES, ERRORS } from "#lib/wire/errors.ts";
import { CREDENTIAL_LABELS, STATUS_LABELS } from "./labels.ts";
import { filterOf, PERIODS, type Period, type RequestSearch } from "./search.ts";

const PERIOD_LABELS: Record<Period, string> = {
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "14d": "Last 14 days",
};

const CREDENTIALS = Object.entries(CREDENTIAL_LABELS) as [keyof typeof CREDENTIAL_LABELS, string][];

type Props = {
  search: RequestSearch;
  onChange: (change: Partial<RequestSearch>) => void;
  onFind: (filter: Partial<RequestSearch>) => void;
  onClear: (() => void) | false;
};

export function RequestFilters({ search, onChange, onFind, onClear }: Props) {
  const { timeZone } = usePreferences();
  const { from, to } = search;
  return (
    <FilterBar onClear={onClear}>
      <PeriodMenu
        value={search.period}
        periods={PERIODS}
        labels={PERIOD_LABELS}
        onChange={(period) => onChange({ period, from: null, to: null })}
      />
      {from && to && (
        <FilterChip onRemove={() => onChange({ from: null, to: null })}>
          {formatMoment(from.toISOString(), timeZone)} to {formatMoment(to.toISOString(), timeZone)}
        </FilterChip>
      )}
      <FilterMenu
        name="Status"
        value={search.status}
        options={STATUS_LABELS}
        onChange={(status) => onChange({ status })}
      />
      <FilterMenu
        name="Credential"
        value={search.credential}
        options={CREDENTIALS}
        onChange={(credential) => onChange({ credential })}
      />
      <FilterMenu
        name="Error"
        value={search.error_code}
        options={ERROR_CODES.map(
          (code) => [code as string, `${ERRORS[code].status} ${code}`] as const,
        )}
        onChange={(error_code) => onChange({ error_code })}
      />
      {(["operation", "api_key_id", "actor", "resource"] as const).map(
        (name) =>
          search[name] !== null && (
            <FilterChip key={name} onRemove={() => onChange({ [name]: null })}>
              <FilterValue name={name} value={search[name] ?? ""} />
            </FilterChip>
          ),
      )}
      <Find onFind={onFind} />
    </FilterBar>
  );
}

function FilterValue({
  name,
  value,
}: {
  name: "operation" | "api_key_id" | "actor" | "resource";
  value: string;
}) {
  if (name === "operation") return value;
  if (name === "actor" && !value.startsWith("api_key:")) return personName(value);
  return <ResourceName id={value.replace(/^api_key:/, "")} />;
}

/** On submit: only a whole ID or name matches. */
function Find({ onFind }: { onFind: (filter: Partial<RequestSearch>) => void }) {
  return (
    <form
      className="max-sm:w-full"
      onSubmit={(event) => {
        event.preventDefault();
        const filter = filterOf(new FormData(event.currentTarget).get("find")?.toString() ?? "");
        event.currentTarget.reset();
        if (filter) onFind(filter);
      }}
    >
      <input
        type="search"
        name="find"
        aria-label="Find by request, key or resource ID, operation or user"
        placeholder="ID, operation or user"
        autoComplete="off"
        spellCheck={false}
        className="h-9 w-full rounded-md border border-field bg-surface px-2.5 text-sm text-ink placeholder:text-muted max-sm:text-lg sm:h-8 sm:w-52"
      />
    </form>
  );
}
