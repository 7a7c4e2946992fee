import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { OUTSTANDING_KINDS, outstandingName } from "#lib/wire/outstanding-kinds.ts";
import { reconciledBalances, type SideBalance } from "#lib/wire/reconciled-balances.ts";
import { Row, Table } from "./table.tsx";

/**
 * The bank reconciliation of each currency: from the balance of each side, less outstanding and
 * excluded amounts, to the adjusted balances and what explains their difference.
 */
export function BalanceTable({ statement }: { statement: Statement }) {
  const { left_source, right_source } = statement;
  return reconciledBalances(statement).map(({ currency, left, right, explained, unexplained }) => {
    const money = (minor: bigint) => formatMoney(minor.toString(), currency);
    const row = (head: string, of: (side: SideBalance) => bigint) => (
      <Row head={head} cells={[money(of(left)), money(of(right))]} />
    );
    const hasTiming = left.timing !== 0n || right.timing !== 0n;
    return (
      <Table
        key={currency}
        aligned
        caption={`Balances in ${currency}`}
        columns={[currency, left_source, right_source]}
      >
        <Row
          head="Balance at the end of the period"
          cells={[left, right].map((side) => (
            <>
              {money(side.closing)}
              <span className="block text-xs whitespace-normal text-muted">{originOf(side)}</span>
            </>
          ))}
        />
        {hasTiming && row("Less value-dated later", ({ timing }) => -timing)}
        {left.outstandingByKind && right.outstandingByKind
          ? OUTSTANDING_KINDS.map((kind) => (
              <Row
                key={kind}
                head={`Less outstanding ${kind}s`}
                cells={(
                  [
                    ["left", left],
                    ["right", right],
                  ] as const
                ).map(([side, sums]) => (
                  <>
                    {money(-(sums.outstandingByKind?.[kind] ?? 0n))}
                    <span className="block text-xs whitespace-normal text-muted">
                      {outstandingName(kind, side, statement)}
                    </span>
                  </>
                ))}
              />
            ))
          : row("Less outstanding", ({ outstanding }) => -outstanding)}
        {row("Less excluded", ({ excluded }) => -excluded)}
        <Row
          head={<span className="font-medium">Adjusted balance</span>}
          cells={[left, right].map(({ adjusted }) => (
            <strong key={String(adjusted)} className="font-medium">
              {money(adjusted)}
            </strong>
          ))}
        />
        {explained.map(({ name, minor }) => (
          <Row key={name} head={name} cells={["", money(minor)]} />
        ))}
        <Row
          head={<span className="font-semibold">Unexplained difference</span>}
          cells={["", <strong key="unexplained">{money(unexplained)}</strong>]}
        />
      </Table>
    );
  });
}

/** The open items of each side: brought forward, added, settled, and left. */
export function RollForwardTable({ statement }: { statement: Statement }) {
  const { left_source, right_source } = statement;
  return reconciledBalances(statement).map(({ currency, left, right }) => {
    const row = (head: string, of: (side: SideBalance) => bigint) => (
      <Row
        head={head}
        cells={[left, right].map((side) => formatMoney(of(side).toString(), currency))}
      />
    );
    return (
      <Table
        key={currency}
        aligned
        caption={`Open items in ${currency}`}
        columns={[currency, left_source, right_source]}
      >
        {row("Open at the start", ({ broughtForward }) => broughtForward)}
        {row("New lines", ({ added }) => added)}
        {row("Matched", ({ matched }) => -matched)}
        {row("Excluded", ({ newlyExcluded }) => -newlyExcluded)}
        <Row
          head={<span className="font-medium">Open at the end</span>}
          cells={[left, right].map(({ open }, place) => (
            <strong key={place === 0 ? "left" : "right"} className="font-medium">
              {formatMoney(open.toString(), currency)}
            </strong>
          ))}
        />
      </Table>
    );
  });
}

function originOf({ statedOn, isStated }: SideBalance): string {
  if (!isStated) return "Sum of the lines: no balance is stated";
  return statedOn ? `Stated ${formatDay(statedOn, "UTC")}` : "Stated";
}
