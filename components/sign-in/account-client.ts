import { ApiProblem } from "#components/api-client.ts";
import type { AccountCall, AccountInput, AccountResponse } from "#lib/accounts/contract.ts";
import { PRODUCT } from "#lib/wire/product.ts";

/** Actions of users on their own account. @throws ApiProblem */
export async function callAccount<Call extends AccountCall>(
  call: Call,
  body: AccountInput<Call>,
): Promise<AccountResponse<Call>> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`/api/account/${call}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  }).catch(() => {
    throw new ApiProblem(0, {
      code: "unreachable",
      detail: `${PRODUCT} can't be reached. Check your connection.`,
      request_id: null,
    });
  });
  if (!response.ok) throw new ApiProblem(response.status, await response.json());
  return response.json();
}
