import type { Access } from "../wire/access.ts";
import { ApiError } from "../wire/errors.ts";
import type { Principal } from "./principal.ts";

/** @throws ApiError `role_required` or `scope_required` where the contract's access is not met. */
export function authorize(principal: Principal, access: Access): void {
  switch (principal.type) {
    case "user":
      if (access.roles === "any" || access.roles.some((role) => principal.roles.includes(role))) return;
      throw new ApiError("role_required", `This requires one of the roles ${access.roles.join(", ")}. Ask a tenant admin.`);
    case "api_key":
      if (access.roles === "any") return;
      if (access.scope === null) throw new ApiError("role_required", "This requires a user with a role. An API key can't call it.");
      if (principal.scopes.includes(access.scope)) return;
      throw new ApiError("scope_required", `This requires an API key with the scope ${access.scope}.`);
    case "service_role":
      if (access.service) return;
      throw new ApiError("role_required", "This requires a user with a role. The service-role key can't call it.");
    case "publishable_key":
      if (access.publishable) return;
      throw new ApiError("role_required", "The publishable key can't call this. Use a user's token or an API key.");
  }
}
