import { DEFAULT_RULES } from "../../../engine/rules.ts";

const HEADER =
  "-- Written by `npm run generate` from engine/rules.ts: the rules of a pair for " +
  "which nobody has set any.";

/**
 * Generates `private.default_rules()`, so that the database checks limits with the rules that the
 * engine uses.
 */
export function defaultRulesSql(): string {
  const rules = DEFAULT_RULES.map((rule) => `  ${JSON.stringify(rule).replaceAll("'", "''")}`).join(
    ",\n",
  );
  return `${HEADER}

create function private.default_rules() returns jsonb
language sql immutable set search_path = ''
return '[
${rules}
]'::jsonb;
`;
}
