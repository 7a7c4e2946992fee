import { CURRENCIES, decimalsOf } from "../../../lib/wire/currencies.ts";

/** The decimals of most currencies. */
const USUAL = 2;

/** Generates `private.currency_decimals()`, so that texts of the database show amounts as we do. */
export function currencyDecimalsSql(): string {
  const others = Map.groupBy(
    CURRENCIES.filter((code) => decimalsOf(code) !== USUAL),
    (code) => decimalsOf(code),
  );
  const cases = [...others].map(
    ([decimals, codes]) =>
      `    when currency = any ('{${codes.join(",")}}'::text[])\n      then ${decimals}`,
  );
  return `-- Written by \`npm run generate\` from lib/wire/currencies.ts: the decimals of a currency.

create function private.currency_decimals(currency text) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return case
${cases.join("\n")}
    else ${USUAL} end;
end $$;
`;
}
