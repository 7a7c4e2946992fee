import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";

/** The worker looks whether the address has an account, so that neither the response nor its time gives it away. */
export async function requestPasswordReset(email: string): Promise<void> {
  unwrap(
    await serviceDb("nobody is signed in who forgot the password").rpc("request_password_reset", {
      email,
    }),
  );
}
