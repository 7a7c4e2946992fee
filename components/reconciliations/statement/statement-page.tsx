"use client";

import { useQuery } from "@tanstack/react-query";
import { Printer } from "lucide-react";
import { EvidenceList } from "#components/evidence/evidence-list.tsx";
import { ExportMenu } from "#components/kit/export-menu.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { Button } from "#components/ui/button.tsx";
import { Time } from "#components/ui/time.tsx";
import { getStatementContract, type Statement } from "#lib/matching/periods/contract.ts";
import type { PeriodSignature } from "#lib/reconciliations/contract.ts";
import { periodFileName, periodOf } from "#lib/wire/period-name.ts";
import { ProofBadge, ProofTable } from "../matching/proof-card.tsx";
import { reconciliationById, statementOf } from "../queries.ts";
import { Signatures } from "../sign-off/signatures.tsx";
import { BalanceTable, RollForwardTable } from "./balance-table.tsx";
import { AdjustmentTable, ExclusionTable, ResidualTable } from "./item-tables.tsx";
import { PdfButton } from "./pdf-button.tsx";
import { SignedStatements } from "./signed-statements.tsx";
import { AgingTable, OutstandingTable } from "./statement-tables.tsx";
import { excludedTotals, explainedTotals, type Total } from "./totals.ts";

/** The reconciliation statement of a period, which is signed and printed. */
export function StatementPage({ id }: { id: string }) {
  const tenant = useTenantId();
  const { data, error, refetch } = useQuery(statementOf(tenant, id));
  const { data: period } = useQuery(reconciliationById(tenant, id));
  const file = data ? periodFileName("statement", data) : "statement";
  const withMatches = {
    name: `${file}-matches`,
    call: { tenant, params: { id }, query: { matches: "true" } },
  };
  return (
    <Page
      parent={{ name: data?.name ?? "Reconciliation", path: `reconciliations/${id}` }}
      title="Reconciliation statement"
      actions={
        data && (
          <div className="flex gap-2 print:hidden">
            <ExportMenu
              label="Export statement"
              name={file}
              contract={getStatementContract}
              call={{ tenant, params: { id } }}
              failed="Couldn't export the statement"
              more={[
                {
                  label: "Excel workbook",
                  name: file,
                  format: "xlsx",
                  call: { tenant, params: { id } },
                },
                { label: "Excel workbook, with every match", format: "xlsx", ...withMatches },
                { label: "CSV, with every match", format: "csv", ...withMatches },
              ]}
            />
            <PdfButton id={id} name={file} />
            <Button size="sm" onClick={() => window.print()}>
              <Printer aria-hidden className="size-4 text-muted" />
              Print
            </Button>
          </div>
        )
      }
    >
      {!data && error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : data ? (
        <Sheet statement={data} signatures={period?.sign_off?.signatures ?? []} />
      ) : (
        <PartSkeleton
          label="Loading the statement"
          bars={["h-8 w-2/3", "h-32 w-full", "h-40 w-full", "h-48 w-full"]}
        />
      )}
    </Page>
  );
}

function Sheet({
  statement,
  signatures,
}: {
  statement: Statement;
  signatures: readonly PeriodSignature[];
}) {
  const {
    name,
    left_source,
    right_source,
    as_of,
    closed_at,
    closed_by,
    proof,
    outstanding_count,
    outstanding,
  } = statement;
  return (
    <article className="flex max-w-4xl flex-col gap-8 text-sm print:max-w-none">
      <header className="flex flex-wrap items-start justify-between gap-4">
        <div>
          <p className="text-lg font-semibold">{name}</p>
          <p>{periodOf(statement)}</p>
          <p className="text-muted">
            {left_source} and {right_source}
          </p>
          <p className="text-muted">
            {closed_at ? (
              <>
                Closed <ActorName iso={closed_at} actor={closed_by} />
              </>
            ) : (
              <>
                Not closed, as of <Time iso={as_of} />
              </>
            )}
          </p>
          <div className="mt-2">
            <Signatures signatures={signatures} />
          </div>
        </div>
        <ProofBadge proof={proof} />
      </header>
      <Part
        title="Reconciliation of balances"
        hint={
          `Adjustments, residuals and differences are ${left_source} − ${right_source}: ` +
          `positive where ${left_source} is larger.`
        }
      >
        <BalanceTable statement={statement} />
      </Part>
      <Part title="Open items">
        <RollForwardTable statement={statement} />
      </Part>
      <Part title="Proof">
        <ProofTable proof={proof} reconciliation={statement} />
      </Part>
      {statement.aging.length > 0 && (
        <Part title="Outstanding by age">
          <AgingTable statement={statement} />
        </Part>
      )}
      <Part
        title="Outstanding lines"
        hint={
          outstanding_count > outstanding.length
            ? `The ${outstanding.length.toLocaleString("en")} with the most money, of ` +
              `${outstanding_count.toLocaleString("en")}. The export has all of them.`
            : undefined
        }
      >
        {outstanding.length === 0 ? (
          <p className="text-muted">Nothing is outstanding.</p>
        ) : (
          <OutstandingTable statement={statement} />
        )}
      </Part>
      <Items
        title="Adjustments"
        items={statement.adjustments}
        count={statement.adjustment_count}
        totals={explainedTotals(statement, "adjustments")}
        table={(items, totals) => (
          <AdjustmentTable items={items} totals={totals} statement={statement} />
        )}
      />
      <Items
        title="Residuals"
        items={statement.residuals}
        count={statement.residual_count}
        totals={explainedTotals(statement, "residual")}
        table={(items, totals) => (
          <ResidualTable items={items} totals={totals} statement={statement} />
        )}
      />
      <Items
        title="Excluded lines"
        items={statement.exclusions}
        count={statement.exclusion_count}
        totals={excludedTotals(statement)}
        table={(items, totals) => (
          <ExclusionTable items={items} totals={totals} statement={statement} />
        )}
      />
      <Part title="Evidence">
        <EvidenceList subjectId={statement.reconciliation_id} />
      </Part>
      <SignedStatements
        id={statement.reconciliation_id}
        name={periodFileName("bundle", statement)}
      />
      <footer className="hidden grid-cols-2 gap-12 pt-12 print:grid">
        {["Prepared by", "Reviewed by"].map((role) => (
          <p key={role} className="border-t border-ink pt-1 text-xs">
            {role}, date
          </p>
        ))}
      </footer>
    </article>
  );
}

/**
 * The items behind the statement's sums, if there are any. A statement from before items were
 * stored has only the totals.
 */
function Items<Item>({
  title,
  items = [],
  count = items.length,
  totals,
  table,
}: {
  title: string;
  items?: readonly Item[];
  count?: number;
  totals: readonly Total[];
  table: (items: readonly Item[], totals: readonly Total[]) => React.ReactNode;
}) {
  if (items.length === 0 && totals.length === 0) return null;
  const hint =
    count > items.length
      ? `The first ${items.length.toLocaleString("en")} of ${count.toLocaleString("en")}.`
      : null;
  return (
    <Part title={title} hint={hint ? `${hint} The export has all of them.` : undefined}>
      {table(items, totals)}
    </Part>
  );
}

function Part({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: string;
  children: React.ReactNode;
}) {
  return (
    <section className="flex flex-col gap-2 print:break-inside-auto">
      <h2 className="text-base font-semibold">{title}</h2>
      {hint && <p className="text-muted">{hint}</p>}
      {children}
    </section>
  );
}
