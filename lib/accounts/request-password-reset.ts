import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";

/**
 * Queues the request. The worker checks whether the address has an account, so that neither the
 * response nor its time reveals it.
 */
export async function requestPasswordReset(email: string): Promise<void> {
  unwrap(
    await serviceDb("nobody is signed in who forgot the password").rpc("request_password_reset", {
      email,
    }),
  );
}
