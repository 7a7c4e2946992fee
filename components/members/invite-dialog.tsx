"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ApiProblem, callApi, isRefusal } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import { TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { createInvitationContract } from "#lib/invitations/contract.ts";
import type { Role } from "#lib/wire/access.ts";
import { addressesIn, addressFault } from "./addresses.ts";
import { peopleKey } from "./queries.ts";
import { RoleFields } from "./role-fields.tsx";

type Draft = { email: string; roles: Role[] };

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient();
  const tenant = useTenantId();

  /**
   * One after another. If one is refused, those before it have been invited and leave the field.
   */
  async function invite({ email, roles }: Draft, idempotencyKey: string): Promise<string[]> {
    const addresses = addressesIn(email);
    for (const [at, address] of addresses.entries()) {
      const call = {
        tenant,
        params: { id: tenant },
        body: { email: address, roles },
        idempotencyKey: `${idempotencyKey}-${at}`,
      };
      await callApi(createInvitationContract, call).catch((problem: Error) => {
        if (addresses.length === 1 || !(problem instanceof ApiProblem && isRefusal(problem)))
          throw problem;
        cache.invalidateQueries({ queryKey: peopleKey(tenant) });
        form.rebase((typed) => ({ ...typed, email: addresses.slice(at).join(", ") }));
        throw named(problem, address);
      });
    }
    return addresses;
  }

  const form = useForm({
    initial: { email: "", roles: ["tenant_analyst"] } as Draft,
    check: ({ email, roles }) => ({
      ...(addressFault(email) && { email: addressFault(email) }),
      ...(roles.length === 0 && { roles: "Choose at least one role." }),
    }),
    send: invite,
    onDone: (addresses) => {
      cache.invalidateQueries({ queryKey: peopleKey(tenant) });
      const [first = "", ...others] = addresses;
      toast(
        `Invited ${others.length === 0 ? first : pluralize(addresses.length, "person", "people")}`,
        {
          description: "The emailed link works once and expires in seven days.",
        },
      );
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Invite people"
      description="They get an email with a link to set a password or sign in."
      start="Send invitation"
      pending="Sending…"
      onClose={onClose}
    >
      <TextField
        label="Email"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        hint="Separate several addresses with commas."
        autoComplete="off"
        required
        {...form.text("email")}
      />
      <RoleFields
        roles={form.draft.roles}
        error={form.problem("roles")}
        onChange={(roles) => form.change({ roles })}
      />
    </FormDialog>
  );
}

/** A refusal that names the address it is about. */
function named(problem: ApiProblem, address: string): ApiProblem {
  const { status, code, requestId, errors } = problem;
  const own = errors.map((error) => ({ ...error, message: `${address}: ${error.message}` }));
  return new ApiProblem(status, {
    code,
    detail: `${address}: ${problem.message}`,
    request_id: requestId,
    errors: own,
  });
}
