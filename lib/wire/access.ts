/** Who may do what: the vocabulary of roles and scopes. */
import { SURFACES, type SurfacePath } from "../records/surfaces/every-surface.ts";

export const ROLES = ["tenant_admin", "tenant_analyst", "tenant_lead"] as const;
export type Role = (typeof ROLES)[number];

const OWN_RESOURCES = ["reconciliations", "exceptions", "webhooks"] as const;

type Resource = (typeof OWN_RESOURCES)[number] | SurfacePath;

const RESOURCES: readonly Resource[] = [...OWN_RESOURCES, ...SURFACES.map(({ path }) => path)];

export type Scope = `${"read" | "write"}:${Resource}`;

/** The scope catalogue. A write scope does not imply the read scope. */
export const SCOPES = RESOURCES.flatMap((resource): Scope[] => [`read:${resource}`, `write:${resource}`]);

/**
 * Who can call an operation. `roles`: a user needs one of these; `any` is any principal of the tenant.
 * `scope`: what an API key needs; null: no API key can call. The service-role key can call unless `service` is false.
 */
export type Access = {
  roles: readonly Role[] | "any";
  scope: Scope | null;
  service: boolean;
  publishable: boolean;
};
