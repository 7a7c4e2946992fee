"use client";

import { roleNames } from "#components/kit/role-names.ts";
import { ChoiceCards } from "#components/ui/choice-cards.tsx";
import { ROLES, type Role } from "#lib/wire/access.ts";

const MAY: Record<Role, string> = {
  tenant_admin: "Everything: members, API keys, webhooks, the audit log.",
  tenant_lead: "Works on exceptions, runs reconciliations, closes periods, changes the SLA policy.",
  tenant_analyst: "Works on exceptions and decides on suggested matches.",
  tenant_auditor: "Reads everything, and the audit log. Changes nothing.",
};
const CHOICES = ROLES.map((value) => ({ value, name: roleNames([value]), hint: MAY[value] }));

/** One or more of the roles, each with its permissions. */
export function RoleFields({
  roles,
  error,
  onChange,
}: {
  roles: readonly Role[];
  error?: string;
  onChange: (roles: Role[]) => void;
}) {
  return (
    <ChoiceCards
      legend="Roles"
      choices={CHOICES}
      chosen={roles}
      error={error}
      onChange={onChange}
    />
  );
}
