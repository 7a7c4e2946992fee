"use client";

import { useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { roleNames } from "#components/kit/role-names.ts";
import { useForm } from "#components/kit/use-form.ts";
import { toast } from "#components/ui/toast.ts";
import { type TenantMember, updateTenantMemberContract } from "#lib/members/contract.ts";
import { peopleKey } from "./queries.ts";
import { RoleFields } from "./role-fields.tsx";

export function EditRolesDialog({
  member,
  onClose,
}: {
  member: TenantMember;
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const tenant = useTenantId();
  const form = useForm({
    initial: { roles: member.roles },
    check: ({ roles }) => ({
      ...(roles.length === 0 && { roles: "Choose at least one role, or remove the member." }),
    }),
    send: (body) =>
      callApi(updateTenantMemberContract, {
        tenant,
        params: { id: tenant, memberId: member.id },
        body,
      }),
    onDone: ({ roles }) => {
      cache.invalidateQueries({ queryKey: peopleKey(tenant) });
      toast(`${member.name} is now ${roleNames(roles)}`, {
        description: "Takes effect within a minute, without signing in again.",
      });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={`Roles of ${member.name}`}
      description={member.email}
      start="Save roles"
      pending="Saving…"
      onClose={onClose}
    >
      <RoleFields
        roles={form.draft.roles}
        error={form.problem("roles")}
        onChange={(roles) => form.change({ roles })}
      />
    </FormDialog>
  );
}
