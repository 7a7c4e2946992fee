import { ChevronRight } from "lucide-react";
import { Inline } from "../inline.tsx";
import { describeLimits, describeType, valuesOf } from "./describe-type.ts";
import { type Definitions, fieldsOf, resolve, type Schema, withoutNull } from "./schema.ts";

type Field = { name: string; schema: Schema; required: boolean; description?: string };

const DEEPEST = 3;

/** Fields with types, limits and descriptions. `request`: marks required ones. */
export function Fields({
  fields,
  definitions,
  request,
  depth = 0,
}: {
  fields: Field[];
  definitions: Definitions;
  request: boolean;
  depth?: number;
}) {
  return (
    <ul className="flex flex-col divide-y divide-line">
      {fields.map((field) => (
        <FieldRow
          key={field.name}
          field={field}
          definitions={definitions}
          request={request}
          depth={depth}
        />
      ))}
    </ul>
  );
}

function FieldRow({
  field,
  definitions,
  request,
  depth,
}: {
  field: Field;
  definitions: Definitions;
  request: boolean;
  depth: number;
}) {
  const { name, schema, required } = field;
  const description =
    field.description ??
    schema.description ??
    resolve(withoutNull(schema).schema, definitions).description;
  const limits = describeLimits(schema, definitions);
  const values = valuesOf(schema, definitions);
  const inner = depth < DEEPEST ? fieldsOf(itemOf(schema, definitions), definitions) : [];
  return (
    <li className="flex flex-col gap-1.5 py-3">
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <code className="font-mono text-sm font-semibold wrap-anywhere">{name}</code>
        <span className="text-sm text-muted">{describeType(schema, definitions)}</span>
        {request && required && (
          <span className="text-xs font-semibold text-danger-text">required</span>
        )}
        {limits.length > 0 && <span className="text-xs text-muted">{limits.join(" · ")}</span>}
      </div>
      {description && (
        <p className="max-w-prose text-base text-pretty text-muted">
          <Inline text={description} />
        </p>
      )}
      {values.length > 0 && (
        <ul aria-label={`Values of ${name}`} className="flex flex-wrap gap-1">
          {values.map((value) => (
            <li
              key={String(value)}
              className="rounded-sm border border-line bg-canvas px-1.5 font-mono text-xs leading-5 text-muted"
            >
              {String(value)}
            </li>
          ))}
        </ul>
      )}
      {inner.length > 0 && (
        <details className="group/fields rounded-md border border-line">
          <summary className="flex min-h-8 cursor-pointer list-none items-center gap-1.5 rounded-md px-2.5 text-sm font-medium text-muted select-none hover:text-ink [&::-webkit-details-marker]:hidden">
            <ChevronRight
              aria-hidden
              className="size-3.5 transition-transform duration-100 group-open/fields:rotate-90"
            />
            Fields of {name}
          </summary>
          <div className="border-t border-line px-3">
            <Fields fields={inner} definitions={definitions} request={request} depth={depth + 1} />
          </div>
        </details>
      )}
    </li>
  );
}

/** The object type of a field or of its items. */
function itemOf(given: Schema, definitions: Definitions): Schema {
  const schema = resolve(withoutNull(given).schema, definitions);
  return schema.type === "array" && schema.items ? itemOf(schema.items, definitions) : schema;
}
