import { isRefusal } from "#components/api-client.ts";

const RETRY_AFTER_MS = [500, 1000, 2000, 4000];

/**
 * Repeats a call that got no response. All attempts must have the same idempotency key, so that a
 * lost response never changes anything twice. @throws the error of the last attempt
 */
export async function withRetries<Answer>(
  call: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      const wait = RETRY_AFTER_MS[tries];
      if (isRefusal(error as Error) || wait === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
      signal?.throwIfAborted();
    }
  }
}
