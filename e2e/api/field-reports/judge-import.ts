/** Compares an import with an outcome of expected.json. */
import type { Import } from "#lib/imports/contract.ts";
import type { Line } from "#lib/lines/contract.ts";
import type { LineFact, Outcome, WithFact } from "./cases.ts";

/** A finished import with the lines that it added, or why the file was refused. */
export type Done = { refused: string } | { found: Import; lines: Line[] };

/** The differences from the expected outcome. `currency` is the source's. */
export function faultsOf(outcome: Outcome, done: Done, currency: string): string[] {
  if ("refused" in done) {
    if (outcome.status !== "refused") return [`refused: ${done.refused}`];
    return (outcome.says ?? [])
      .filter((pattern) => !new RegExp(pattern, "i").test(done.refused))
      .map((pattern) => `"${done.refused}" doesn't say ${pattern}`);
  }
  if (outcome.status === "refused") return ["was not refused"];
  const { found, lines } = done;
  const refusals = found.refusals.map(({ message }) => message).join("\n");
  return [
    ...count("accepted", outcome.accepted, found.accepted_count),
    ...count("duplicates", outcome.duplicates, found.duplicate_count),
    ...count("refused", outcome.refused, found.refused_count),
    ...count("skipped", outcome.skipped, found.skipped_count),
    ...count("left_out", outcome.left_out, found.refused_count + found.skipped_count),
    ...same("opening", outcome.opening_balance_minor, found.opening_balance_minor),
    ...same("closing", outcome.closing_balance_minor, found.closing_balance_minor),
    ...same("balance_holds", outcome.balance_holds, found.balance_holds),
    ...same("statements", outcome.statements, found.statements.length),
    ...same(
      "statement_balances",
      outcome.statement_balances,
      found.statements.map((statement) => [
        statement.opening_balance_minor,
        statement.closing_balance_minor,
        statement.balance_holds,
      ]),
    ),
    ...same(
      "refusal_lines",
      outcome.refusal_lines,
      found.refusals.map(({ line }) => line),
    ),
    ...(outcome.refusals_say ?? [])
      .filter((pattern) => !new RegExp(pattern, "i").test(refusals))
      .map((pattern) => `refusals don't say ${pattern}: ${refusals}`),
    ...(outcome.lines ? linesDiffer(outcome.lines, lines, currency, outcome.net) : []),
    ...(outcome.with ?? []).flatMap((fact) => textsDiffer(fact, lines)),
  ];
}

/** Whether a forbidden outcome occurred: all of the parts that it states hold. */
export function isViolated(never: Outcome, done: Done, currency: string): boolean {
  const { has, net, ...rest } = never;
  if (faultsOf(rest, done, currency).length > 0) return false;
  if (!has) return true;
  return (
    "lines" in done && has.some((fact) => done.lines.some((line) => fits(fact, line, null, net)))
  );
}

function count(name: string, expected: number | number[] | undefined, actual: number): string[] {
  return expected === undefined || [expected].flat().includes(actual) ? [] : [`${name}: ${actual}`];
}

function same(name: string, expected: unknown, actual: unknown): string[] {
  if (expected === undefined || JSON.stringify(expected) === JSON.stringify(actual)) return [];
  return [`${name}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
}

function fits([amount, days, unit]: LineFact, line: Line, currency: string | null, net = false) {
  const actual = line.amount_minor - (net ? (line.fee_minor ?? 0) : 0);
  const expectedCurrency = unit ?? currency;
  return (
    actual === amount &&
    (days == null || [days].flat().includes(line.value_date)) &&
    (expectedCurrency === null || line.currency === expectedCurrency)
  );
}

function linesDiffer(
  expected: LineFact[],
  lines: Line[],
  currency: string,
  net?: boolean,
): string[] {
  const left = [...lines];
  const missing = expected.filter((fact) => {
    const at = left.findIndex((line) => fits(fact, line, currency, net));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [
    ...missing.map((fact) => `missing ${JSON.stringify(fact)}`),
    ...left.map(({ amount_minor, fee_minor, value_date, currency: unit }) => {
      const fee = fee_minor ? ` less ${fee_minor}` : "";
      return `not expected: ${amount_minor}${fee} ${unit} of ${value_date}`;
    }),
  ];
}

function textsDiffer({ amount_minor: amount, ...fact }: WithFact, lines: Line[]): string[] {
  const found = lines.filter((line) => line.amount_minor === amount);
  const missingParts = (text: string | undefined | null, parts: string | string[] = []) =>
    [parts].flat().filter((part) => !(text ?? "").includes(part));
  const hasAll = (line: Line) =>
    (fact.counterparty === undefined || line.counterparty === fact.counterparty) &&
    (fact.reference === undefined || line.reference === fact.reference) &&
    (fact.booked_date === undefined || line.booked_date === fact.booked_date) &&
    missingParts(line.description, fact.description_contains).length === 0 &&
    missingParts(JSON.stringify(line), fact.contains).length === 0;
  if (found.some(hasAll)) return [];
  const shown = found.map(({ counterparty, reference, description, booked_date }) =>
    JSON.stringify({ counterparty, reference, description, booked_date }),
  );
  return [`${amount} isn't ${JSON.stringify(fact)} but ${shown.join(" or ")}`];
}
