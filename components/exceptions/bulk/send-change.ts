import { callApi, isRefusal, newIdempotencyKey } from "#components/api-client.ts";
import { updateExceptionsContract } from "#lib/exceptions/bulk/contract.ts";

type Call = Parameters<typeof callApi<typeof updateExceptionsContract>>[1];

const RETRY_AFTER_MS = [500, 1000, 2000, 4000];

/**
 * Sends one bulk change, and repeats it if no response came. Every attempt has the same key, so
 * that a lost response never changes anything twice. @throws the error of the last attempt
 */
export async function sendChange(tenant: string, body: Call["body"]) {
  const idempotencyKey = newIdempotencyKey();
  for (let tries = 0; ; tries++) {
    try {
      return await callApi(updateExceptionsContract, { tenant, body, idempotencyKey } as Call);
    } catch (error) {
      const wait = RETRY_AFTER_MS[tries];
      if (isRefusal(error as Error) || wait === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
