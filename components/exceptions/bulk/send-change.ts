import { callApi, newIdempotencyKey } from "#components/api-client.ts";
import { withRetries } from "#components/kit/with-retries.ts";
import { updateExceptionsContract } from "#lib/exceptions/bulk/contract.ts";

type Call = Parameters<typeof callApi<typeof updateExceptionsContract>>[1];

/** Sends one bulk change, and repeats it if no response came. @throws the last error */
export async function sendChange(tenant: string, body: Call["body"]) {
  const call = { tenant, body, idempotencyKey: newIdempotencyKey() } as Call;
  return withRetries(() => callApi(updateExceptionsContract, call));
}
