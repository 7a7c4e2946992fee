import { Loop } from "#lib/background/loop.ts";
import { signMovedChains } from "#lib/security-events/sign-chain.ts";
import { logSignings } from "./log-signings.ts";

const EVERY_MS = 10_000;
const STATEMENT_WITHIN_MS = 60_000;

/** Signs what was added to the audit trail, again and again. Any number of workers may run it. */
export function startAuditSigner(connectionString: string): Loop {
  return new Loop({
    name: "audit-signer",
    connectionString,
    statementWithinMs: STATEMENT_WITHIN_MS,
    async turn(query) {
      logSignings(await signMovedChains(query));
      return EVERY_MS;
    },
  });
}
