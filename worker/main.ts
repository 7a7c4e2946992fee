import { runInBackground } from "#lib/background/run-in-background.ts";
import { inboxEnv, mailEnv, workerEnv } from "#lib/runtime/env.ts";
import { createSender } from "#lib/webhooks/send.ts";
import { sendAlerts } from "./alerts/send-alerts.ts";
import { sendTestAlert } from "./alerts/send-test-alert.ts";
import { purgeSecurityEvents } from "./audit/purge-security-events.ts";
import { startAuditSigner } from "./audit/signer.ts";
import { fetchConnection } from "./connections/fetch-connection.ts";
import { pushEntryBatch } from "./connections/push-entries.ts";
import { inboxFrom } from "./inbox/inbox.ts";
import { mailerFor } from "./mail/mailer.ts";
import { sendInvitation } from "./mail/send-invitation.ts";
import { sendPasswordReset } from "./mail/send-password-reset.ts";
import { startSlaClock } from "./sla-clock.ts";
import { announceExpiringApiKeys } from "./tasks/announce-expiring-api-keys.ts";
import { endGracePeriods } from "./tasks/end-grace-periods.ts";
import { inBatches } from "./tasks/in-batches.ts";
import { queueBookRecounts, recountBooks } from "./tasks/recount-books.ts";
import { warnOfFailingWebhooks } from "./tasks/warn-of-failing-webhooks.ts";
import { Dispatcher } from "./webhooks/dispatcher.ts";

const { DATABASE_URL, DIRECT_URL } = process.env;
if (!DATABASE_URL) throw new Error("DATABASE_URL is not set");
const { AUDIT_SIGNING_KEY, WEBHOOK_ALLOW_HOSTS } = workerEnv();
if (AUDIT_SIGNING_KEY.length === 0) throw new Error("AUDIT_SIGNING_KEY is not set");

const OTHER_JOBS = 3;
/** Fetching takes as long as the server does, so these jobs never take every place. */
const LOOKS = 3;
const LOOKS_OF_TENANT = 2;
const placesOf = (flag: string) => (flag.startsWith("connection:") ? LOOKS_OF_TENANT : LOOKS);

const mailer = mailerFor(mailEnv());
const { origin } = new URL(mailEnv().NEXTAUTH_URL);
// Not shared with the dispatcher, whose sender closes with it.
const sender = createSender(WEBHOOK_ALLOW_HOSTS);
const inbox = inboxFrom(DATABASE_URL, inboxEnv());
const dispatcher = new Dispatcher(DATABASE_URL, WEBHOOK_ALLOW_HOSTS);

await runInBackground({
  kind: "worker",
  directUrl: DIRECT_URL || DATABASE_URL,
  concurrentJobs: OTHER_JOBS + LOOKS,
  maxConcurrent: placesOf,
  tasks: {
    announce_expiring_api_keys: announceExpiringApiKeys,
    end_grace_periods: endGracePeriods,
    examine_books: recountBooks,
    expect_files: inBatches("private.open_missing_files"),
    extend_calendars: inBatches("private.extend_calendars"),
    fetch_connection: fetchConnection(WEBHOOK_ALLOW_HOSTS),
    fold_exception_counters: inBatches("private.merge_exception_counters"),
    forget_security_events: purgeSecurityEvents,
    gather_alerts: inBatches("private.collect_alerts"),
    purge_alerts: inBatches("private.purge_alerts"),
    purge_api_key_usage: inBatches("private.purge_api_key_usage"),
    purge_idempotency_keys: inBatches("private.purge_idempotency_keys"),
    purge_records: inBatches("private.purge_records"),
    purge_security_events: inBatches("private.purge_security_events"),
    purge_sessions: inBatches("private.purge_sessions"),
    purge_webhook_deliveries: inBatches("private.purge_webhook_deliveries"),
    look_at_connections: inBatches("private.queue_due_looks"),
    push_entry_batch: pushEntryBatch(WEBHOOK_ALLOW_HOSTS),
    queue_book_examinations: queueBookRecounts,
    rebuild_calendars: inBatches("private.rebuild_calendars"),
    roll_partitions: inBatches("private.roll_partitions"),
    send_alerts: sendAlerts(mailer, sender, origin),
    send_invitation: sendInvitation(mailer, origin),
    send_password_reset: sendPasswordReset(mailer, origin),
    send_test_alert: sendTestAlert(sender),
    tell_security_event_counts: inBatches("private.report_security_event_counts"),
    warn_of_failing_webhooks: warnOfFailingWebhooks,
  },
  crontab: `
    */10 * * * * announce_expiring_api_keys
    * * * * * end_grace_periods
    * * * * * expect_files
    41 * * * * extend_calendars
    * * * * * fold_exception_counters
    47 * * * * forget_security_events
    * * * * * gather_alerts
    * * * * * look_at_connections
    33 * * * * purge_alerts
    27 * * * * purge_api_key_usage
    7 * * * * purge_idempotency_keys
    */10 * * * * purge_records
    57 * * * * purge_security_events
    37 * * * * purge_sessions
    17 * * * * purge_webhook_deliveries
    23 3 * * * queue_book_examinations
    11 * * * * rebuild_calendars
    # Named after the first table that it rolled: under a new name, the old schedule would look as
    # if it had stopped.
    21 * * * * roll_partitions ?id=roll_request_log
    * * * * * tell_security_event_counts
    */10 * * * * warn_of_failing_webhooks`,
  vitals: [
    startSlaClock(DATABASE_URL),
    startAuditSigner(DATABASE_URL),
    dispatcher,
    ...(inbox ? [inbox] : []),
  ],
  handlers: { deliveries: (webhookId) => dispatcher.wake(webhookId) },
  onListening: () => dispatcher.sweep(),
});
