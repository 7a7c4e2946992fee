import { Loop } from "#lib/background/loop.ts";
import { figure } from "#lib/runtime/metrics.ts";
import { signMovedChains } from "#lib/security-events/sign-chain.ts";
import { logSignings } from "./log-signings.ts";

const EVERY_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/** Signs new events of the audit trail every 10 s. Any number of workers may run it. */
export function startAuditSigner(connectionString: string): Loop {
  let broken = 0;
  figure(
    {
      name: "tieout_audit_broken_chains",
      help: "Audit logs that this worker does not sign since they don't verify.",
    },
    () => broken,
  );
  return new Loop({
    name: "audit-signer",
    connectionString,
    statementWithinMs: STATEMENT_TIMEOUT_MS,
    async turn(query) {
      const signings = await signMovedChains(query);
      broken = signings.filter((signing) => "fault" in signing).length;
      logSignings(signings);
      return EVERY_MS;
    },
  });
}
