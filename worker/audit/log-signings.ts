import { log } from "#lib/runtime/log.ts";
import type { Signing } from "#lib/security-events/sign-chain.ts";

/**
 * Logs signed states, because a log that is stored elsewhere can't be changed through the database.
 * `npm run audit -- verify` reads these lines.
 */
export function logSignings(signings: Signing[]): void {
  for (const signing of signings) {
    if ("fault" in signing)
      log.error({ chain: signing.chain, fault: signing.fault }, "audit log broken, not signed");
    else log.info({ chain: signing.chain, ...signing.signed }, "audit checkpoint");
  }
}
