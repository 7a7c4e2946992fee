import { formatDay } from "#components/ui/moment.ts";
import { Time } from "#components/ui/time.tsx";
import { Fact, Facts } from "./facts.tsx";
import { flattenFields, valueText } from "./field-labels.ts";

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Shows an object of any shape as labelled fields. */
export function DataFields({
  label,
  value,
  currency,
}: {
  label: string;
  value: object;
  /** The currency of amounts that name none. */
  currency?: string | undefined;
}) {
  return (
    <section aria-label={label}>
      <Facts>
        {flattenFields(value, { currency }).map((field) => (
          <Fact key={field.key} name={field.name}>
            <DataValue value={field.value} />
          </Fact>
        ))}
      </Facts>
    </section>
  );
}

/** A value of any type on one line, with times and dates formatted as elsewhere. */
export function DataValue({ value }: { value: unknown }) {
  if (typeof value === "string" && MOMENT.test(value) && isDate(value)) return <Time iso={value} />;
  if (typeof value === "string" && DAY.test(value) && isDate(value)) return formatDay(value, "UTC");
  return <span className="wrap-anywhere whitespace-pre-line">{valueText(value)}</span>;
}

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
