import { runInBackground } from "#lib/background/run-in-background.ts";
import { inboxEnv, mailEnv, workerEnv } from "#lib/runtime/env.ts";
import { createSender } from "#lib/webhooks/send.ts";
import { sendAlerts } from "./alerts/send-alerts.ts";
import { sendTestAlert } from "./alerts/send-test-alert.ts";
import { signOffSecurityEvents } from "./audit/sign-off-security-events.ts";
import { startAuditSigner } from "./audit/signer.ts";
import { fetchConnection } from "./connections/fetch-connection.ts";
import { pushEntryBatch } from "./connections/push-entries.ts";
import { inboxFrom } from "./inbox/inbox.ts";
import { mailerFor } from "./mail/mailer.ts";
import { sendInvitation } from "./mail/send-invitation.ts";
import { sendPasswordReset } from "./mail/send-password-reset.ts";
import { startSlaClock } from "./sla-clock.ts";
import { announceExpiringApiKeys } from "./tasks/announce-expiring-api-keys.ts";
import { withEarlierNames } from "./tasks/earlier-names.ts";
import { endGracePeriods } from "./tasks/end-grace-periods.ts";
import { inBatches } from "./tasks/in-batches.ts";
import { queueBookRecounts, recountBooks } from "./tasks/recount-books.ts";
import { warnOfFailingWebhooks } from "./tasks/warn-of-failing-webhooks.ts";
import { Dispatcher } from "./webhooks/dispatcher.ts";

const { DATABASE_URL, DIRECT_URL } = process.env;
if (!DATABASE_URL) throw new Error("DATABASE_URL is not set");
const { AUDIT_SIGNING_KEY, WEBHOOK_ALLOW_HOSTS } = workerEnv();
if (AUDIT_SIGNING_KEY.length === 0) throw new Error("AUDIT_SIGNING_KEY is not set");

/** Jobs of connections take as long as their servers do, so they never occupy every slot. */
const MAX_CONNECTION_JOBS = 3;
const MAX_CONNECTION_JOBS_PER_TENANT = 2;
const MAX_OTHER_JOBS = 3;
const maxConcurrent = (flag: string) =>
  flag.startsWith("connection:") ? MAX_CONNECTION_JOBS_PER_TENANT : MAX_CONNECTION_JOBS;

const mailer = mailerFor(mailEnv());
const { origin } = new URL(mailEnv().NEXTAUTH_URL);
// Separate from the dispatcher's sender, which closes with the dispatcher.
const sender = createSender(WEBHOOK_ALLOW_HOSTS);
const inbox = inboxFrom(DATABASE_URL, inboxEnv());
const dispatcher = new Dispatcher(DATABASE_URL, WEBHOOK_ALLOW_HOSTS);

await runInBackground({
  kind: "worker",
  directUrl: DIRECT_URL || DATABASE_URL,
  concurrentJobs: MAX_CONNECTION_JOBS + MAX_OTHER_JOBS,
  maxConcurrent,
  tasks: withEarlierNames({
    announce_expiring_api_keys: announceExpiringApiKeys,
    collect_alerts: inBatches("private.collect_alerts"),
    end_grace_periods: endGracePeriods,
    // private.queue_book_recounts queues it under this name.
    recount_books: recountBooks,
    extend_calendars: inBatches("private.extend_calendars"),
    fetch_connection: fetchConnection(WEBHOOK_ALLOW_HOSTS),
    merge_exception_counters: inBatches("private.merge_exception_counters"),
    open_missing_files: inBatches("private.open_missing_files"),
    purge_alerts: inBatches("private.purge_alerts"),
    purge_api_key_usage: inBatches("private.purge_api_key_usage"),
    purge_idempotency_keys: inBatches("private.purge_idempotency_keys"),
    purge_records: inBatches("private.purge_records"),
    purge_security_events: inBatches("private.purge_security_events"),
    purge_sessions: inBatches("private.purge_sessions"),
    purge_webhook_deliveries: inBatches("private.purge_webhook_deliveries"),
    push_entry_batch: pushEntryBatch(WEBHOOK_ALLOW_HOSTS),
    queue_book_recounts: queueBookRecounts,
    queue_due_connections: inBatches("private.queue_due_fetches"),
    queue_nightly_runs: inBatches("private.queue_nightly_runs"),
    rebuild_calendars: inBatches("private.rebuild_calendars"),
    report_security_event_counts: inBatches("private.report_security_event_counts"),
    roll_partitions: inBatches("private.roll_partitions"),
    send_alerts: sendAlerts(mailer, sender, origin),
    send_invitation: sendInvitation(mailer, origin),
    send_password_reset: sendPasswordReset(mailer, origin),
    send_test_alert: sendTestAlert(sender),
    sign_off_security_events: signOffSecurityEvents,
    warn_of_failing_webhooks: warnOfFailingWebhooks,
  }),
  crontab: `
    # A renamed schedule keeps its first name as its ID. Under a new ID it would start again, and
    # the old one would look as if it had stopped (TieoutTaskNotScheduled).
    */10 * * * * announce_expiring_api_keys
    * * * * * collect_alerts ?id=gather_alerts
    * * * * * end_grace_periods
    41 * * * * extend_calendars
    * * * * * merge_exception_counters ?id=fold_exception_counters
    * * * * * open_missing_files ?id=expect_files
    33 * * * * purge_alerts
    27 * * * * purge_api_key_usage
    7 * * * * purge_idempotency_keys
    */10 * * * * purge_records
    57 * * * * purge_security_events
    37 * * * * purge_sessions
    17 * * * * purge_webhook_deliveries
    23 3 * * * queue_book_recounts ?id=queue_book_examinations
    * * * * * queue_due_connections ?id=look_at_connections
    3 * * * * queue_nightly_runs
    11 * * * * rebuild_calendars
    * * * * * report_security_event_counts ?id=tell_security_event_counts
    21 * * * * roll_partitions ?id=roll_request_log
    47 * * * * sign_off_security_events ?id=forget_security_events
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
