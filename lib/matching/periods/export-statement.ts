import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Exported } from "../../wire/contract.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import { agingByKind, OUTSTANDING_KINDS } from "../../wire/outstanding-kinds.ts";
import { periodFileName } from "../../wire/period-name.ts";
import { reconciledBalances } from "../../wire/reconciled-balances.ts";
import type {
  OutstandingLine,
  Statement,
  StatementAdjustment,
  StatementExclusion,
  StatementResidual,
  StatementRow,
} from "./contract.ts";
import { getSignatures } from "./get-signatures.ts";
import { getStatement } from "./get-statement.ts";
import { statementCover } from "./statement-cover.ts";

/** A page is read in one query, during which other callers wait. */
const PAGE_ROWS = 250;

const EMPTY = {
  item: null,
  side: null,
  value_date: null,
  age_days: null,
  line_id: null,
  match_id: null,
  reference: null,
  counterparty: null,
  description: null,
  reason: null,
  decided_by: null,
  decided_at: null,
};

/** A line of a match. */
type MatchLine = Omit<OutstandingLine, "age_days" | "open_minor"> &
  Pick<StatementResidual, "match_id" | "amount_minor" | "decided_by" | "decided_at"> & {
    method: string;
    note: string | null;
  };

type Items = {
  outstanding: OutstandingLine;
  adjustment: StatementAdjustment;
  residual: StatementResidual;
  exclusion: StatementExclusion;
  match: MatchLine;
};
type Kind = keyof Items;
/** A row before its amount is formatted with the decimals of its currency. */
type MinorRow = Omit<StatementRow, "amount">;
type Page<Item> = { items: Item[]; next: string[] | null };

const ROWS: { [K in Kind]: (item: Items[K]) => MinorRow } = {
  outstanding: ({ open_minor, ...line }) => ({
    ...EMPTY,
    ...line,
    kind: "outstanding",
    item: open_minor < 0 ? "payment" : "receipt",
    amount_minor: open_minor,
  }),
  adjustment: ({ kind, note, ...adjustment }) => ({
    ...EMPTY,
    ...adjustment,
    kind: "adjustment",
    item: kind,
    reason: note,
  }),
  residual: (residual) => ({ ...EMPTY, ...residual, kind: "residual" }),
  exclusion: (exclusion) => ({ ...EMPTY, ...exclusion, kind: "exclusion" }),
  match: ({ method, note, ...line }) => ({
    ...EMPTY,
    ...line,
    kind: "match",
    item: method,
    reason: note,
  }),
};

/**
 * The whole statement: its sums first, then each of their items; with `matches`, also the lines of
 * every match.
 */
export async function exportStatement(
  ctx: Context,
  id: string,
  { matches }: { matches?: "true" | "false" },
): Promise<Exported> {
  const statement = await getStatement(ctx, id);
  const step = { ...ctx, exported: null, continues: true };
  const kinds: Kind[] = ["outstanding", "adjustment", "residual", "exclusion"];
  if (matches === "true") kinds.push("match");
  const { signatures } = await getSignatures(step, statement);
  const name = periodFileName("statement", statement);
  return {
    pages: pagesOf(step, statement, kinds),
    name: matches === "true" ? `${name}-matches` : name,
    cover: statementCover(statement, signatures),
  };
}

async function* pagesOf(
  ctx: Context,
  statement: Statement,
  kinds: readonly Kind[],
): AsyncGenerator<StatementRow[]> {
  yield balanceRows(statement).map(withAmount);
  const areKindsStated = agingByKind(statement) !== null;
  for (const kind of kinds)
    for await (const rows of rowsOf(ctx, statement.reconciliation_id, kind))
      yield areKindsStated ? rows : rows.map(withoutKind);
}

async function* rowsOf<K extends Kind>(
  ctx: Context,
  id: string,
  kind: K,
): AsyncGenerator<StatementRow[]> {
  let after: string[] | null = null;
  do {
    const page: Page<Items[K]> = await read(ctx, "list_statement_items", {
      id,
      kind,
      after,
      limit: PAGE_ROWS,
    });
    yield page.items.map((item) => withAmount(ROWS[kind](item)));
    after = page.next;
  } while (after);
}

/** A sum as the API states it. */
function wireSum(minor: bigint): StatementRow["amount_minor"] {
  const number = Number(minor);
  return Number.isSafeInteger(number) ? number : minor.toString();
}

/** A statement that closed before kinds were stated is exported without them. */
function withoutKind(row: StatementRow): StatementRow {
  return row.kind === "outstanding" ? { ...row, item: null } : row;
}

/** Adds the formatted amount. The fields are in the order of the columns. */
function withAmount({ kind, item, currency, side, ...row }: MinorRow): StatementRow {
  const amount = decimalText(row.amount_minor, currency);
  return { kind, item, currency, side, amount, ...row };
}

function balanceRows(statement: Statement): MinorRow[] {
  const { balances, differences } = statement;
  const reconciled = reconciledBalances(statement);
  const row = (
    currency: string,
    side: StatementRow["side"],
    item: string,
    amount_minor: StatementRow["amount_minor"],
  ): MinorRow => ({
    ...EMPTY,
    kind: "balance",
    item,
    currency,
    side,
    amount_minor,
  });
  const kindsOf = (currency: string, side: "left" | "right"): MinorRow[] => {
    const kinds = reconciled.find((item) => item.currency === currency)?.[side].outstandingByKind;
    if (!kinds) return [];
    return OUTSTANDING_KINDS.map((kind) =>
      row(currency, side, `outstanding_${kind}s`, wireSum(kinds[kind])),
    );
  };
  return [
    ...balances.flatMap(
      ({
        currency,
        side,
        opening_minor,
        lines_minor,
        closing_minor,
        outstanding_minor,
        excluded_minor,
      }) => [
        row(currency, side, "opening", opening_minor),
        row(currency, side, "lines", lines_minor),
        row(currency, side, "closing", closing_minor),
        row(currency, side, "outstanding", outstanding_minor),
        ...kindsOf(currency, side),
        row(currency, side, "excluded", excluded_minor),
      ],
    ),
    ...differences.flatMap(({ currency, adjustments_minor, residual_minor, difference_minor }) => [
      row(currency, null, "adjustments", adjustments_minor),
      row(currency, null, "residuals", residual_minor),
      row(currency, null, "difference", difference_minor),
    ]),
  ];
}
