import { type Access, allows } from "../wire/access.ts";
import { ApiError } from "../wire/errors.ts";
import type { Principal } from "./principal.ts";

/**
 * @throws ApiError `role_required` or `scope_required` if the principal lacks the contract's
 * access.
 */
export function authorize(principal: Principal, access: Access): void {
  if (!allows(access, principal)) throw refusalOf(principal, access);
}

function refusalOf({ type }: Principal, { roles, scope }: Access): ApiError {
  switch (type) {
    case "user":
      return new ApiError(
        "role_required",
        `This requires one of the roles ${[roles].flat().join(", ")}. Ask a tenant admin.`,
      );
    case "api_key":
      if (scope === null)
        return new ApiError(
          "role_required",
          "This requires a user with a role. An API key can't call it.",
        );
      return new ApiError("scope_required", `This requires an API key with the scope ${scope}.`);
    case "service_role":
      return new ApiError(
        "role_required",
        "This requires a user with a role. The service-role key can't call it.",
      );
    case "publishable_key":
      return new ApiError(
        "role_required",
        "The publishable key can't call this. Use a user's token or an API key.",
      );
  }
}
