"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { DateField } from "#components/ui/date-field.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { stateSourceBalanceContract } from "#lib/sources/balances/contract.ts";
import type { Source } from "#lib/sources/contract.ts";
import { sourcesKey } from "../queries.ts";
import { balanceOf, missingInBalance } from "./draft.ts";

const REASON_MAX = 500;

/** States the balance of a source at the end of a day. */
export function BalanceDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const form = useForm({
    initial: { day: "", amount_minor: "", reason: "" },
    check: (draft) => missingInBalance(draft, source.currency),
    send: (draft, idempotencyKey) =>
      callApi(stateSourceBalanceContract, {
        tenant,
        params: { id: source.id },
        body: balanceOf(draft, source.currency),
        idempotencyKey,
      }),
    onDone: ({ closing_minor, currency, period_end }) => {
      cache.invalidateQueries({ queryKey: sourcesKey(tenant) });
      toast(`Stated ${formatMoney(closing_minor, currency)} on ${formatDay(period_end, "UTC")}`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`State a balance of ${source.name}`}
      description="With the sign of the source. Periods are reconciled against it."
      start="State balance"
      pending="Saving…"
      onClose={onClose}
    >
      <DateField
        label="Day"
        value={form.draft.day}
        error={form.problem("day")}
        onChange={(day) => form.change({ day })}
        required
      />
      <TextField
        label={`Balance at its end, ${source.currency}`}
        inputMode="decimal"
        placeholder="11,876.50"
        autoComplete="off"
        {...form.text("amount_minor")}
        required
      />
      <TextField
        label="Where it is from"
        hint="For example: trial balance of 31 October."
        maxLength={REASON_MAX}
        {...form.text("reason")}
        required
      />
    </FormDialog>
  );
}
