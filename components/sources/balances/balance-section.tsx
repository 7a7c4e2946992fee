"use client";

import { Plus, Scale, Trash2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { ListBody } from "#components/kit/list-body.tsx";
import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { useList } from "#components/kit/use-list.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { personName } from "#components/people/person.tsx";
import { Button } from "#components/ui/button.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { toast } from "#components/ui/toast.ts";
import {
  removeSourceBalanceContract,
  type SourceBalance,
  stateSourceBalanceContract,
} from "#lib/sources/balances/contract.ts";
import type { Source } from "#lib/sources/contract.ts";
import { balancePages, sourcesKey } from "../queries.ts";
import { Section, SectionNotice } from "../source-section.tsx";

const BalanceDialog = dynamic(
  () => import("./balance-dialog.tsx").then((part) => part.BalanceDialog),
  { ssr: false },
);

/**
 * The balances that the bank or the ledger reports for the source: in the statements of files, or
 * entered by a user.
 */
export function BalanceSection({ source }: { source: Source }) {
  const list = useList(balancePages(useTenantId(), source.id));
  const mayWrite = useIsAllowed(stateSourceBalanceContract.access);
  const [stating, setStating] = useState(false);
  return (
    <Section
      title="Balances"
      action={
        mayWrite && (
          <Button size="sm" onClick={() => setStating(true)}>
            <Plus aria-hidden className="size-4 text-muted" />
            State a balance
          </Button>
        )
      }
    >
      <ListBody
        list={list}
        skeleton={
          <ListSkeleton
            label="Loading balances"
            count={2}
            row="h-15.5 gap-4 px-4"
            cells={["w-1/3", "ml-auto w-24"]}
          />
        }
        bare={
          <SectionNotice icon={Scale} title="No balances yet">
            Statements of camt, MT940, BAI2 and OFX files bring theirs, and so do CSV files with a
            running balance. State one for a source whose files have none, so that a period can be
            reconciled against it.
          </SectionNotice>
        }
      >
        {() => (
          <ul className="border-t border-line text-sm" aria-label="Balances, newest first">
            {list.items.map((balance) => (
              <BalanceItem
                key={balance.id}
                balance={balance}
                source={source}
                mayRemove={mayWrite && balance.import_id === null}
              />
            ))}
          </ul>
        )}
      </ListBody>
      {stating && <BalanceDialog source={source} onClose={() => setStating(false)} />}
    </Section>
  );
}

function BalanceItem({
  balance: { id, currency, period_start, period_end, closing_minor, import_id, ...stated },
  source,
  mayRemove,
}: {
  balance: SourceBalance;
  source: Source;
  mayRemove: boolean;
}) {
  const tenant = useTenantId();
  const removing = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(removeSourceBalanceContract, {
        tenant,
        params: { id: source.id, balanceId: id },
        idempotencyKey,
      }),
    stale: sourcesKey(tenant),
    failed: "Couldn't remove the balance",
    onDone: () => toast(`Removed the balance of ${formatDay(period_end, "UTC")}`),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5">
      <span className="min-w-0 flex-1">
        {period_start && period_start !== period_end
          ? `${formatDay(period_start, "UTC")} – ${formatDay(period_end, "UTC")}`
          : formatDay(period_end, "UTC")}
        <span className="block text-muted wrap-anywhere">
          {import_id ? `From a file${stated.account ? `, ${stated.account}` : ""}` : stated.reason}
          {" · "}
          {personName(stated.created_by)}
        </span>
      </span>
      <span className="text-right tabular-nums">
        {formatMoney(closing_minor, currency)}
        {stated.opening_minor !== null && (
          <span className="block text-muted">
            from {formatMoney(stated.opening_minor, currency)}
          </span>
        )}
      </span>
      {mayRemove && (
        <Button
          size="sm"
          disabled={removing.isPending}
          onClick={() => removing.start(undefined)}
          aria-label={`Remove the balance of ${formatDay(period_end, "UTC")}`}
        >
          <Trash2 aria-hidden className="size-4 text-muted" />
        </Button>
      )}
    </li>
  );
}
