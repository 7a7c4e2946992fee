import { Card } from "#components/kit/card.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import type { EntryFileDraft } from "./draft.ts";

const MONTHS = Array.from({ length: 12 }, (_, at) =>
  new Date(Date.UTC(2000, at)).toLocaleDateString("en", { month: "long", timeZone: "UTC" }),
);
const LENGTHS = ["4", "5", "6", "7", "8"];

/** The settings of files for DATEV and SAP. */
export function EntryFileCard({
  ledger,
  readOnly,
  onChange,
}: {
  ledger: EntryFileDraft;
  readOnly: boolean;
  onChange: (part: Partial<EntryFileDraft>) => void;
}) {
  const field = (name: keyof EntryFileDraft) => ({
    value: ledger[name],
    disabled: readOnly,
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
  });
  return (
    <Card title="Ledger" hint="Only for files of DATEV and SAP. Leave out what you don't use.">
      <div className="grid gap-x-6 gap-y-3 @lg:grid-cols-2">
        <TextField
          label="DATEV consultant number"
          type="number"
          min={1001}
          max={9_999_999}
          inputMode="numeric"
          {...field("datev_consultant")}
        />
        <TextField
          label="DATEV client number"
          type="number"
          min={1}
          max={99_999}
          inputMode="numeric"
          {...field("datev_client")}
        />
        <SelectField label="Digits of a ledger account in DATEV" {...field("datev_account_length")}>
          {LENGTHS.map((length) => (
            <option key={length} value={length}>
              {length}
            </option>
          ))}
        </SelectField>
        <SelectField label="The fiscal year begins in" {...field("fiscal_year_month")}>
          {MONTHS.map((month, at) => (
            <option key={month} value={at + 1}>
              {month}
            </option>
          ))}
        </SelectField>
        <TextField label="SAP company code" maxLength={4} {...field("sap_company_code")} />
      </div>
    </Card>
  );
}
