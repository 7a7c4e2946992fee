"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { resourceKey } from "#components/kit/query.ts";
import { useForm } from "#components/kit/use-form.ts";
import { AssigneePicker } from "#components/people/assignee-picker.tsx";
import { Person } from "#components/people/person.tsx";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { removeTenantMemberContract, type TenantMember } from "#lib/members/contract.ts";
import { peopleKey } from "./queries.ts";

type HandOver = "keep" | "unassign" | "reassign";

export function RemoveDialog({ member, onClose }: { member: TenantMember; onClose: () => void }) {
  const cache = useQueryClient();
  const tenant = useTenantId();
  const { open_exceptions: open } = member;
  const form = useForm({
    initial: {
      reason: "",
      hand_over: (open > 0 ? "unassign" : "keep") as HandOver,
      hand_over_to: null as string | null,
    },
    check: ({ hand_over, hand_over_to }) => ({
      ...(hand_over === "reassign" &&
        hand_over_to === null && { hand_over_to: "Choose who gets them." }),
    }),
    send: ({ reason, hand_over, hand_over_to }, idempotencyKey) =>
      callApi(removeTenantMemberContract, {
        tenant,
        params: { id: tenant, memberId: member.id },
        body: {
          reason: reason.trim() || null,
          ...(hand_over !== "keep" && {
            hand_over_to: hand_over === "reassign" ? hand_over_to : null,
          }),
        },
        idempotencyKey,
      }),
    onDone: ({ handed_over }, { hand_over }) => {
      cache.invalidateQueries({ queryKey: peopleKey(tenant) });
      cache.invalidateQueries({ queryKey: resourceKey(tenant, "members") });
      if (handed_over > 0) cache.invalidateQueries({ queryKey: resourceKey(tenant, "exceptions") });
      toast(`Removed ${member.name}`, {
        description:
          handed_over > 0
            ? `${pluralize(handed_over, "exception")} ${hand_over === "reassign" ? "reassigned" : "unassigned"}.`
            : undefined,
      });
      onClose();
    },
  });
  const { draft } = form;
  return (
    <FormDialog
      form={form}
      title={`Remove ${member.name}`}
      description={
        `${member.email ?? member.name} loses access ` +
        "to this tenant immediately and is signed out."
      }
      start="Remove member"
      pending="Removing…"
      danger
      onClose={onClose}
    >
      {open > 0 && (
        <>
          <SelectField
            label={`${open >= 1000 ? "1,000 or more" : open.toLocaleString("en")} open ${open === 1 ? "exception is" : "exceptions are"} assigned to them`}
            value={draft.hand_over}
            onChange={({ target }) => form.change({ hand_over: target.value as HandOver })}
          >
            <option value="unassign">Unassign them</option>
            <option value="reassign">Assign them to someone else</option>
            <option value="keep">Keep them assigned</option>
          </SelectField>
          {draft.hand_over === "reassign" && (
            <div className="flex flex-col gap-1.5">
              <AssigneePicker
                value={draft.hand_over_to}
                onChange={(hand_over_to) => form.change({ hand_over_to })}
                trigger={<Person reference={draft.hand_over_to} />}
                triggerClass="flex h-10 w-full items-center rounded-md border border-field bg-surface px-3 text-left"
              />
              <p className="text-sm text-danger-text empty:hidden">
                {form.problem("hand_over_to")}
              </p>
            </div>
          )}
        </>
      )}
      <TextField
        label="Reason"
        hint="Optional. Recorded in the audit log."
        maxLength={500}
        {...form.text("reason")}
      />
      <Note tone="info">
        API keys and webhooks they created stay active. Their account stays. They only lose access
        to this tenant.
      </Note>
    </FormDialog>
  );
}
