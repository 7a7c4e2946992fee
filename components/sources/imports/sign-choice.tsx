import { RadioGroup } from "#components/ui/radio-group.tsx";
import type { Source } from "#lib/sources/contract.ts";

/** Asks before the first import of a source what a positive amount means. */
export function SignChoice({
  sign,
  kind,
  onChange,
}: {
  sign: Source["sign"];
  kind: Source["kind"];
  onChange: (sign: Source["sign"]) => void;
}) {
  return (
    <RadioGroup
      legend="Positive amounts are"
      value={sign}
      options={[
        { value: "as_is", label: "Money in" },
        { value: "inverted", label: "Money out" },
      ]}
      onChange={onChange}
    >
      <p className="text-sm text-muted">
        {kind === "ledger" &&
          "If receipts read Money out above, as a ledger's debits do, choose Money out. "}
        Applies to all lines of this source. Can't be changed after the first import.
      </p>
    </RadioGroup>
  );
}
