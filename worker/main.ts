import { runInBackground } from "#lib/background/run-in-background.ts";
import { workerEnv } from "#lib/runtime/env.ts";
import { forgetSecurityEvents } from "./audit/forget-security-events.ts";
import { startAuditSigner } from "./audit/signer.ts";
import { startSlaClock } from "./sla-clock.ts";
import { announceExpiringApiKeys } from "./tasks/announce-expiring-api-keys.ts";
import { endGracePeriods } from "./tasks/end-grace-periods.ts";
import { purge } from "./tasks/purge.ts";
import { warnOfFailingWebhooks } from "./tasks/warn-of-failing-webhooks.ts";
import { Dispatcher } from "./webhooks/dispatcher.ts";

const { DATABASE_URL, DIRECT_URL } = process.env;
if (!DATABASE_URL) throw new Error("DATABASE_URL is not set");
const { AUDIT_SIGNING_KEY, WEBHOOK_ALLOW_HOSTS } = workerEnv();
if (AUDIT_SIGNING_KEY.length === 0) throw new Error("AUDIT_SIGNING_KEY is not set");

const dispatcher = new Dispatcher(DATABASE_URL, WEBHOOK_ALLOW_HOSTS);

runInBackground({
  kind: "worker",
  directUrl: DIRECT_URL || DATABASE_URL,
  concurrentJobs: 3,
  tasks: {
    announce_expiring_api_keys: announceExpiringApiKeys,
    end_grace_periods: endGracePeriods,
    extend_calendars: purge("private.extend_calendars"),
    forget_security_events: forgetSecurityEvents,
    purge_api_key_usage: purge("private.purge_api_key_usage"),
    purge_idempotency_keys: purge("private.purge_idempotency_keys"),
    purge_records: purge("private.purge_records"),
    purge_security_events: purge("private.purge_security_events"),
    purge_sessions: purge("private.purge_sessions"),
    purge_webhook_deliveries: purge("private.purge_webhook_deliveries"),
    tell_security_event_counts: purge("private.tell_security_event_counts"),
    warn_of_failing_webhooks: warnOfFailingWebhooks,
  },
  crontab: `
    */10 * * * * announce_expiring_api_keys
    * * * * * end_grace_periods
    41 * * * * extend_calendars
    47 * * * * forget_security_events
    27 * * * * purge_api_key_usage
    7 * * * * purge_idempotency_keys
    */10 * * * * purge_records
    57 * * * * purge_security_events
    37 * * * * purge_sessions
    17 * * * * purge_webhook_deliveries
    * * * * * tell_security_event_counts
    */10 * * * * warn_of_failing_webhooks`,
  vitals: [startSlaClock(DATABASE_URL), startAuditSigner(DATABASE_URL), dispatcher],
  bells: { deliveries: (webhookId) => dispatcher.wake(webhookId) },
  onListening: () => dispatcher.sweep(),
});
