"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { TextArea } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  prepareReconciliationContract,
  returnReconciliationContract,
  reviewReconciliationContract,
} from "#lib/matching/sign-off/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { reconciliationById, reconciliationsKey } from "../queries.ts";
import { Checklist } from "./checklist.tsx";

export type SignAction = "prepare" | "review" | "return";

const TEXTS: Record<
  SignAction,
  { title: (name: string) => string; description: string; start: string; done: string }
> = {
  prepare: {
    title: (name) => `Sign ${name} as prepared?`,
    description:
      "You say that its work is done. Whatever changes it afterwards revokes your signature.",
    start: "Sign as prepared",
    done: "Prepared",
  },
  review: {
    title: (name) => `Sign ${name} as reviewed?`,
    description: "You say that you have checked the statement that the preparer signed.",
    start: "Sign as reviewed",
    done: "Reviewed",
  },
  return: {
    title: (name) => `Return ${name} to work?`,
    description: "Its signatures are revoked. The preparer sees your reason.",
    start: "Return to work",
    done: "Returned",
  },
};

const TEXT_MAX = 1000;

export function SignDialog({
  action,
  reconciliation,
  onClose,
}: {
  action: SignAction;
  reconciliation: Reconciliation;
  onClose: () => void;
}) {
  const { id, name } = reconciliation;
  const tenant = useTenantId();
  const cache = useQueryClient();
  const { title, description, start, done } = TEXTS[action];
  const form = useForm({
    initial: { text: "" },
    check: ({ text }): Record<string, string> =>
      action === "return" && text.trim() === "" ? { text: "Enter a reason." } : {},
    fieldOf: () => "text",
    send: ({ text }, idempotencyKey) => {
      const call = { tenant, params: { id }, idempotencyKey };
      if (action === "return")
        return callApi(returnReconciliationContract, { ...call, body: { reason: text } });
      const body = text.trim() ? { note: text } : {};
      return action === "prepare"
        ? callApi(prepareReconciliationContract, { ...call, body })
        : callApi(reviewReconciliationContract, { ...call, body });
    },
    onDone: (signed) => {
      cache.setQueryData(reconciliationById(tenant, id).queryKey, signed);
      cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
      toast(`${done} ${name}`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={title(name)}
      description={description}
      start={start}
      pending="Signing…"
      onClose={onClose}
    >
      {action !== "return" && <Checklist reconciliation={reconciliation} />}
      <TextArea
        label={action === "return" ? "Reason" : "Note"}
        hint={action === "return" ? "Kept with the period." : "Optional. Kept with your signature."}
        maxLength={TEXT_MAX}
        {...form.text("text")}
        required={action === "return"}
      />
    </FormDialog>
  );
}
