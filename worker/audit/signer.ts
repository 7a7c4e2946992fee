import { Loop } from "#lib/background/loop.ts";
import { gauge } from "#lib/runtime/metrics.ts";
import { signGrownChains } from "#lib/security-events/sign-chain.ts";
import { logSignings } from "./log-signings.ts";

const SIGN_INTERVAL_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/** Signs new events of the audit trail every 10 s. Any number of workers may run it. */
export function startAuditSigner(connectionString: string): Loop {
  let broken = 0;
  gauge(
    {
      name: "tieout_audit_broken_chains",
      help: "Audit logs that this worker does not sign since they don't verify.",
    },
    () => broken,
  );
  return new Loop({
    name: "audit-signer",
    connectionString,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    async turn(query) {
      const signings = await signGrownChains(query);
      broken = signings.filter((signing) => "fault" in signing).length;
      logSignings(signings);
      return SIGN_INTERVAL_MS;
    },
  });
}
