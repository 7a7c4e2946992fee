// Written by `npm run generate` from openapi.json.

import type { Call, CallOptions, FileBody, List } from "../call.ts";
import type { Export } from "../export.ts";
import type * as T from "./types.gen.ts";

/** An event, by `type`. */
export type TieoutEvent =
  | T.ApiKeyExpiringEvent
  | T.ApiKeyRevokedEvent
  | T.BooksDifferEvent
  | T.ConnectionFailingEvent
  | T.EntriesReadyEvent
  | T.ExceptionCommentedEvent
  | T.ExceptionCreatedEvent
  | T.ExceptionPausedEvent
  | T.ExceptionResolvedEvent
  | T.ExceptionResumedEvent
  | T.ExceptionSlaAtRiskEvent
  | T.ExceptionSlaBreachedEvent
  | T.ExceptionUpdatedEvent
  | T.ImportDoneEvent
  | T.MatchUndoneEvent
  | T.ReconciliationClosedEvent
  | T.ReconciliationPreparedEvent
  | T.ReconciliationReopenedEvent
  | T.ReconciliationReviewedEvent
  | T.RunDoneEvent
  | T.WebhookDisabledEvent
  | T.WebhookFailingEvent
  | T.WebhookTestEvent;

/** `tieout.alertChannels` */
export interface AlertChannelsResource {
  /**
   * List alert channels, newest first.
   *
   * Callers: `tenant_admin`; the service-role key.
   */
  list(query?: T.ListAlertChannelsQuery, options?: CallOptions): List<T.AlertChannelPage>;

  /**
   * Add an alert channel.
   *
   * At most 20. The address has to be public, as a webhook's has.
   */
  create(body: T.CreateAlertChannelRequest, options?: CallOptions): Call<T.AlertChannel>;

  /**
   * Delete an alert channel.
   *
   * Callers: `tenant_admin`; the service-role key.
   */
  delete(id: string, options?: CallOptions): Call<T.AlertChannel>;

  /**
   * Get an alert channel.
   *
   * Callers: `tenant_admin`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.AlertChannel>;

  /**
   * Change an alert channel.
   *
   * Callers: `tenant_admin`; the service-role key.
   */
  update(id: string, body?: T.UpdateAlertChannelRequest, options?: CallOptions): Call<T.AlertChannel>;

  /**
   * Send a test message.
   *
   * The answer comes before the message is sent: last_sent_at or last_failure says how it went.
   */
  test(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.AlertChannel>;
}

/** `tieout.apiKeys` */
export interface ApiKeysResource {
  /**
   * List API keys, newest first.
   *
   * Callers: `tenant_admin`.
   */
  list(id: string, query?: T.ListApiKeysQuery, options?: CallOptions): List<T.ApiKeyPage>;

  /**
   * Create an API key.
   *
   * This is the only response that includes key_secret. The credential is <key_id>.<key_secret>.
   */
  create(id: string, body: T.CreateApiKeyRequest, options?: CallOptions): Call<T.NewApiKey>;

  /**
   * Revoke an API key.
   *
   * Takes effect immediately and can't be undone. Revoking a revoked key returns it unchanged. Webhooks it registered stay active, unless disable_webhooks is true.
   */
  revoke(id: string, keyId: string, body?: T.RevokeApiKeyRequest, options?: CallOptions): Call<T.ApiKey>;

  /**
   * Get an API key's metadata.
   *
   * Callers: `tenant_admin`.
   */
  get(id: string, keyId: string, options?: CallOptions): Call<T.ApiKey>;

  /**
   * Change an API key.
   *
   * Callers: `tenant_admin`.
   */
  update(id: string, keyId: string, body?: T.UpdateApiKeyRequest, options?: CallOptions): Call<T.ApiKey>;

  /**
   * Preview a change to an API key.
   *
   * Counts the calls in the last 7 days that the change would have refused. expires_at may be in the past here: it refuses calls made after it.
   */
  estimateImpact(id: string, keyId: string, body?: T.EstimateApiKeyImpactRequest, options?: CallOptions): Call<T.ApiKeyImpact>;

  /**
   * Rotate an API key.
   *
   * Returns a successor with its secret. The old key stays valid for the grace period, but never past its own expiry.
   */
  rotate(id: string, keyId: string, body?: T.RotateApiKeyRequest, options?: CallOptions): Call<T.NewApiKey>;

  /**
   * Get an API key's usage.
   *
   * Callers: `tenant_admin`.
   */
  getUsage(id: string, keyId: string, options?: CallOptions): Call<T.ApiKeyUsage>;
}

/** `tieout.calendars` */
export interface CalendarsResource {
  /**
   * List calendars, newest first.
   *
   * Callers: every role; an API key with `read:exceptions`; the service-role key.
   */
  list(query?: T.ListCalendarsQuery, options?: CallOptions): List<T.CalendarPage>;

  /**
   * Create a calendar.
   *
   * When your team works. It is open whenever the local clock shows a time inside an interval: what the clocks skip in spring is never open, what they repeat in autumn is open twice. At most 100 calendars.
   */
  create(body: T.CreateCalendarRequest, options?: CallOptions): Call<T.Calendar>;

  /**
   * Read special days from an ICS file.
   *
   * All-day events become closed days (RFC 5545); those that recur yearly or monthly, for five years ahead. Moved and cancelled occurrences count as they are now. Nothing is added to a calendar until you send them as special_days.
   */
  readIcs(body: T.ReadIcsRequest, options?: CallOptions): Call<T.IcsDays>;

  /**
   * Get a calendar.
   *
   * Callers: every role; an API key with `read:exceptions`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Calendar>;

  /**
   * Set a calendar.
   *
   * Other hours make a new version, by which new deadlines count. apply_to: open moves open deadlines that the SLA policy set as well; events already sent stand. Open reconciliations that count business days by it are matched by the new version, whatever apply_to says: at once with auto_run, otherwise at their next run; closed ones stay as they are. With dry_run, nothing changes: the response previews the effect.
   */
  put(id: string, body: T.PutCalendarRequest, options?: CallOptions): Call<T.CalendarChange>;

  /**
   * Get a calendar's special days as ICS.
   *
   * One all-day event each. Hours other than closed are kept in X-TIEOUT-INTERVALS, which reading it again understands.
   */
  getIcs(id: string, options?: CallOptions): Call<T.CalendarIcs>;

  /**
   * List when a calendar is open.
   *
   * In UTC, over at most 366 days.
   */
  listOpenHours(id: string, query: T.ListOpenHoursQuery, options?: CallOptions): Call<T.OpenHours>;

  /**
   * List a calendar's versions, newest first.
   *
   * Every change of its hours, and how many open exceptions count by each.
   */
  listVersions(id: string, query?: T.ListCalendarVersionsQuery, options?: CallOptions): List<T.CalendarVersionPage>;
}

/** `tieout.closingBoard` */
export interface ClosingBoardResource {
  /**
   * Get the closing board.
   *
   * All pairs of sources, in the order in which their sources were created, with the periods that end in these months: how far each is, who signed it, when it is due and what is open.
   */
  get(query: T.GetClosingBoardQuery, options?: CallOptions): List<T.BoardPairPage>;

  /**
   * Open the next periods.
   *
   * Creates for each pair, or for these, the periods that follow its newest one, up to the one that begins in `through`: of the same kind (a month after a month), named after it, with the same sources. Rules go on with the pair. At most 12 for a pair. Pairs that reach that month are left as they are, so the call can be sent again. With dry_run it answers what it would create.
   */
  openNextPeriods(body: T.OpenNextPeriodsRequest, options?: CallOptions): Call<T.NextPeriods | undefined>;
}

/** `tieout.connections` */
export interface ConnectionsResource {
  /**
   * List connections, newest first.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListConnectionsQuery, options?: CallOptions): List<T.ConnectionPage>;

  /**
   * Connect a source.
   *
   * Fetches the source's files from a server on business days, each once, and imports them by the source's mapping; or, with kind mail, gives an address that takes such files by mail. A source has at most one connection.
   */
  create(body: T.CreateConnectionRequest, options?: CallOptions): Call<T.Connection>;

  /**
   * Delete a connection.
   *
   * Its credential is destroyed. What it imported stays.
   */
  delete(id: string, options?: CallOptions): Call<T.DeletedConnection | undefined>;

  /**
   * Get a connection.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Connection>;

  /**
   * Change a connection.
   *
   * Another address or sign-in needs the credential again. Setting host_key lets a stopped connection go on.
   */
  update(id: string, body?: T.UpdateConnectionRequest, options?: CallOptions): Call<T.Connection | undefined>;

  /**
   * Fetch now.
   *
   * Looks for files in the background, also outside the schedule, and tries those that failed again. The list of files shows what came of it.
   */
  fetch(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Connection>;

  /**
   * List what a connection found, newest first.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  listFiles(id: string, query?: T.ListConnectionFilesQuery, options?: CallOptions): List<T.ConnectionFilePage>;

  /**
   * Test a connection.
   *
   * Signs in, shows the host key and lists files. Fetches and pins nothing.
   */
  test(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.ConnectionTest>;
}

/** `tieout.decisions` */
export interface DecisionsResource {
  /**
   * Take a decision back.
   *
   * All of it or nothing: what was confirmed or rejected is suggested again, a match by hand is undone, an excluded line is open again. One's own; what others decided, matches by hand and exclusions need the right to write reconciliations.
   */
  undo(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Decision | undefined>;
}

/** `tieout.entryBatches` */
export interface EntryBatchesResource {
  /**
   * List entry batches, newest first.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListEntryBatchesQuery, options?: CallOptions): List<T.EntryBatchPage>;

  /**
   * Get an entry batch.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.EntryBatch>;

  /**
   * List the entries of a batch.
   *
   * Each debits one account and credits another by the same amount, in the order of the batch. Reversals come first.
   */
  listEntries(id: string, query?: T.ListEntriesQuery, options?: CallOptions): List<T.EntryPage>;

  /**
   * Export the entries of a batch.
   *
   * A row for each entry, with the columns that you choose. Exporting does not mark the batch as exported. The export is recorded as a security event.
   */
  exportEntries(id: string, query?: Omit<T.ExportEntriesQuery, "format"> & Partial<Pick<T.ExportEntriesQuery, "format">>, options?: CallOptions): Export;

  /**
   * Mark a batch as exported.
   *
   * Once, when the ledger has it: a second time is 409, so that of two programs only one posts it. With four_eyes, not by anyone who worked in the period.
   */
  markExported(id: string, body?: T.MarkEntryBatchExportedRequest, options?: CallOptions): Call<T.EntryBatch | undefined>;

  /**
   * Get a batch as a file for a ledger.
   *
   * In the layout that the ledger publishes for its import; the guide to entries names the sources. One currency a file. 409 names the entry if a field can't be what the ledger takes. Downloading does not mark the batch as exported.
   */
  getLedgerFile(id: string, query?: Omit<T.GetLedgerFileQuery, "format"> & Partial<Pick<T.GetLedgerFileQuery, "format">>, options?: CallOptions): Export;

  /**
   * Push a batch now.
   *
   * To the connection of the entry rules. Once its files are written, it is exported.
   */
  push(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.EntryBatch | undefined>;
}

/** `tieout.events` */
export interface EventsResource {
  /**
   * List events, oldest first.
   *
   * The events of the last 30 days that webhooks deliver, with the same IDs and bodies. Send resume_cursor as cursor next time: no event ever appears behind it, and each comes at least once. A cursor is a place and fits any filters. With wait, the response to a call without events comes as soon as there is one. A key gets the types whose content it has the scope to read; naming another type is refused.
   */
  list(query?: T.ListEventsQuery, options?: CallOptions): List<T.ListedEventPage>;

  /**
   * Send a test event.
   *
   * An event with example data and `"test": true`, for readers that ask for tests. It goes to no webhook.
   */
  createTest(body: T.CreateTestEventRequest, options?: CallOptions): Call<T.ListedEvent>;

  /**
   * Get an event.
   *
   * Callers: every role; any API key; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.ListedEvent>;
}

/** `tieout.evidence` */
export interface EvidenceResource {
  /**
   * List the evidence of a subject, newest first.
   *
   * A file that was superseded stays in the list, a removed one doesn't.
   */
  list(query: T.ListEvidenceQuery, options?: CallOptions): List<T.EvidencePage>;

  /**
   * Add a file of evidence.
   *
   * The file is the body: PDF, an image (PNG, JPEG, GIF, WebP, TIFF, HEIC), an Excel workbook (.xlsx), CSV, an email (.eml) or plain text, of at most 10 MiB. Its content shows what it is; other content, HTML and SVG among it, is refused. Its name gets the extension of its type. At most 50 files for one subject. For an exception, a key also needs write:exceptions.
   */
  add(file: FileBody, query: T.AddEvidenceQuery, options?: CallOptions): Call<T.Evidence>;

  /**
   * Remove a file of evidence.
   *
   * Its content is deleted; its hash and the reason stay in the audit log. What a signed statement lists can't be removed: add a file that supersedes it. Removing one revokes the signatures of its open period.
   */
  remove(id: string, body: T.RemoveEvidenceRequest, options?: CallOptions): Call<T.Evidence | undefined>;

  /**
   * Get what is known of a file of evidence.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Evidence>;

  /**
   * Download a file of evidence.
   *
   * Byte for byte as it was added, always as a download that no browser shows as a page.
   */
  getContent(id: string, options?: CallOptions): Export;
}

/** `tieout.exceptions` */
export interface ExceptionsResource {
  /**
   * List exceptions, newest first.
   *
   * Callers: every role; an API key with `read:exceptions`; the service-role key.
   */
  list(query?: T.ListExceptionsQuery, options?: CallOptions): List<T.SlaExceptionPage>;

  /**
   * Create an exception.
   *
   * Without due_at, the tenant's SLA policy for the severity sets the deadline.
   */
  create(body: T.CreateExceptionRequest, options?: CallOptions): Call<T.SlaException>;

  /**
   * Change many exceptions at once.
   *
   * Changes, pauses or resumes them. By ids at most 500, all or none: errors name the index in ids. By filter all open ones that match, fewer than 10,000: expected_count is what you confirmed, and 409 says that another number matches now. Each call changes the next 500 at most; repeat it with next_cursor as cursor until that is null. What can't be changed is skipped and named.
   */
  updateMany(body: T.UpdateExceptionsRequest, options?: CallOptions): Call<T.BulkUpdate | undefined>;

  /**
   * Export exceptions, open or closed.
   *
   * Streams everything that matches the filters. The export is recorded as a security event.
   */
  export(query?: Omit<T.ExportExceptionsQuery, "format"> & Partial<Pick<T.ExportExceptionsQuery, "format">>, options?: CallOptions): Export;

  /**
   * Import exceptions from a file.
   *
   * NDJSON, or CSV with a header row. The fields are those of creating one exception, with details as JSON. At most 100,000 rows and 64 MiB. Valid rows are created in batches as they arrive; the others are reported by line and reason. With an idempotency key, an interrupted import can be retried: no row is imported twice.
   */
  import(file: FileBody, options?: CallOptions): Call<T.ImportReport>;

  /**
   * List open exceptions by time to breach.
   *
   * Open and in-review exceptions, with a summary of all of them. breach_risk: breached at 0 minutes or less, high below 60, medium from 60 to 240, low above.
   */
  listSla(query?: T.ListSlaExceptionsQuery, options?: CallOptions): List<T.SlaList>;

  /**
   * List what changed in the open exceptions.
   *
   * Keeps a list you have read up to date at little cost. Send the filters of that list and its as_of as since; follow next_cursor, then pass the first page's as_of next time. Each item holds the current exception, or null if your filters no longer match it. Changes of breach_risk that come with time count. Applying an item twice does no harm: some are repeated rather than missed.
   */
  listSlaChanges(query: T.ListSlaChangesQuery, options?: CallOptions): List<T.SlaChanges>;

  /**
   * Export open exceptions.
   *
   * Streams everything that matches the filters. The export is recorded as a security event.
   */
  exportSla(query?: Omit<T.ExportSlaExceptionsQuery, "format"> & Partial<Pick<T.ExportSlaExceptionsQuery, "format">>, options?: CallOptions): Export;

  /**
   * Count exceptions by each filter's values.
   *
   * For each filter, how many exceptions each of its values has among those that all the other filters match. Counts the first 20,000; complete says whether that is all. Of a filter with many values, the 50 most frequent.
   */
  getSlaFacets(query?: T.GetSlaFacetsQuery, options?: CallOptions): Call<T.SlaFacets>;

  /**
   * Get the SLA report.
   *
   * Counted from the ledger.
   */
  getSlaReport(query: T.GetSlaReportQuery, options?: CallOptions): Call<T.SlaReport>;

  /**
   * Export the SLA report.
   *
   * Streams everything that matches the filters. The export is recorded as a security event.
   */
  exportSlaReport(query: Omit<T.ExportSlaReportQuery, "format"> & Partial<Pick<T.ExportSlaReportQuery, "format">>, options?: CallOptions): Export;

  /**
   * Count open exceptions by time to breach.
   *
   * All open exceptions of the tenant. The buckets of a risk add up to its count in the summary.
   */
  getTimeToBreach(options?: CallOptions): Call<T.TimeToBreach>;

  /**
   * Get an exception.
   *
   * Callers: every role; an API key with `read:exceptions`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.SlaException>;

  /**
   * Change an exception.
   *
   * A JSON merge patch (RFC 7396). Allowed status changes: between open and in_review; from either to resolved or dismissed, with a resolution; from resolved or dismissed to open. Any other change returns 409.
   */
  update(id: string, body?: T.UpdateExceptionRequest, options?: CallOptions): Call<T.SlaException | undefined>;

  /**
   * List an exception's comments, newest first.
   *
   * Callers: every role; an API key with `read:exceptions`; the service-role key.
   */
  listComments(id: string, query?: T.ListExceptionCommentsQuery, options?: CallOptions): List<T.ExceptionCommentPage>;

  /**
   * Comment on an exception.
   *
   * Also on a closed one; a comment is neither changed nor deleted. `<@user:leo>` in the body mentions a person; the event exception.commented lists the mentions. At most 1,000 comments an exception.
   */
  createComment(id: string, body: T.CreateExceptionCommentRequest, options?: CallOptions): Call<T.ExceptionComment>;

  /**
   * List an exception's changes, newest first.
   *
   * Callers: every role; an API key with `read:exceptions`; the service-role key.
   */
  listHistory(id: string, query?: T.ListExceptionHistoryQuery, options?: CallOptions): List<T.ExceptionChangePage>;

  /**
   * Get an exception's SLA timeline.
   *
   * Every change of the clock, in rows that add up, and why the exception did or didn't breach.
   */
  getLedger(id: string, options?: CallOptions): Call<T.ExceptionLedger>;

  /**
   * Pause an exception's clock.
   *
   * While paused it counts as on track, is listed last and crosses no threshold; due_at is the deadline it would have if resumed now. Closing it ends the pause. 409 if it is closed, paused or breached, or the SLA policy allows no more pauses.
   */
  pause(id: string, body: T.PauseExceptionRequest, options?: CallOptions): Call<T.SlaException | undefined>;

  /**
   * Resume an exception's clock.
   *
   * The time it had left when paused is left again. Thresholds it passed before the pause send no second event.
   */
  resume(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.SlaException | undefined>;
}

/** `tieout.firstSteps` */
export interface FirstStepsResource {
  /**
   * Get onboarding progress: first key, first call, first webhook, first event received.
   *
   * Callers: `tenant_admin`.
   */
  get(options?: CallOptions): Call<T.FirstSteps>;

  /**
   * Dismiss or restore the first steps.
   *
   * Only for you: other admins of the tenant still see them.
   */
  put(body: T.PutFirstStepsRequest, options?: CallOptions): Call<T.FirstSteps>;
}

/** `tieout.holidays` */
export interface HolidaysResource {
  /**
   * Propose the holidays of a country.
   *
   * Public and bank holidays of one year, for you to review: nothing is added to a calendar until you send it as special_days. From date-holidays (CC BY 3.0).
   */
  list(query: T.ListHolidaysQuery, options?: CallOptions): Call<T.Holidays>;

  /**
   * List the countries whose holidays are known.
   *
   * Callers: every role; an API key with `read:exceptions`; the service-role key.
   */
  listCountries(options?: CallOptions): Call<T.HolidayCountries>;
}

/** `tieout.imports` */
export interface ImportsResource {
  /**
   * List imports, newest first.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListImportsQuery, options?: CallOptions): List<T.ImportPage>;

  /**
   * Get an import.
   *
   * While it is read, bytes_read and read_count show its progress.
   */
  get(id: string, options?: CallOptions): Call<T.Import>;

  /**
   * Undo an import.
   *
   * Removes its lines, and undoes the matches that they are in; with more than 20,000 lines in the background, as undoing. While the import is queued or read, this cancels it. A line that a closed or archived period matched, excluded or carried forward forbids it.
   */
  undo(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Import | undefined>;
}

/** `tieout.integrations` */
export interface IntegrationsResource {
  /**
   * List integrations, newest first.
   *
   * Callers: every role; an API key with `read:integrations`; the service-role key.
   */
  list(query?: T.ListIntegrationsQuery, options?: CallOptions): List<T.IntegrationPage>;

  /**
   * Create an integration.
   *
   * Any JSON object, up to 64 kB. Other fields are stored as sent.
   */
  create(body?: T.CreateIntegrationRequest, options?: CallOptions): Call<T.Integration>;

  /**
   * Delete an integration.
   *
   * A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
   */
  delete(id: string, options?: CallOptions): Call<T.Integration | undefined>;

  /**
   * Get an integration.
   *
   * Callers: every role; an API key with `read:integrations`; the service-role key.
   */
  get(id: string, query?: T.GetIntegrationQuery, options?: CallOptions): Call<T.Integration>;

  /**
   * Change an integration.
   *
   * A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
   */
  update(id: string, body?: T.UpdateIntegrationRequest, options?: CallOptions): Call<T.Integration | undefined>;

  /**
   * Restore a deleted integration.
   *
   * Restoring a record that isn't deleted returns it unchanged.
   */
  restore(id: string, body?: T.IdempotentRecordRequest, options?: CallOptions): Call<T.Integration>;
}

/** `tieout.invitations` */
export interface InvitationsResource {
  /**
   * List invitations, newest first.
   *
   * Callers: `tenant_admin`.
   */
  list(id: string, query?: T.ListInvitationsQuery, options?: CallOptions): List<T.InvitationPage>;

  /**
   * Invite someone by email.
   *
   * Mails a link that works once, for seven days. To accept it, a person sets a password or signs in to their account. The link is in the mail alone. Whether the address has an account makes no difference here. A tenant can send 100 invitations an hour, 5 of them to one address, and 10 a day to one.
   */
  create(id: string, body: T.CreateInvitationRequest, options?: CallOptions): Call<T.Invitation>;

  /**
   * Revoke an invitation.
   *
   * Its link stops working at once. Revoking a revoked one returns it unchanged.
   */
  revoke(id: string, invitationId: string, options?: CallOptions): Call<T.Invitation>;

  /**
   * Get an invitation.
   *
   * Callers: `tenant_admin`.
   */
  get(id: string, invitationId: string, options?: CallOptions): Call<T.Invitation>;

  /**
   * Send an invitation again.
   *
   * With a new link, valid for seven days; the previous one stops working. At most once a minute, 5 times an hour and 10 times a day.
   */
  resend(id: string, invitationId: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Invitation>;
}

/** `tieout.lines` */
export interface LinesResource {
  /**
   * List lines, latest value date first.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListLinesQuery, options?: CallOptions): List<T.LinePage>;

  /**
   * Get a line.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Line>;

  /**
   * Exclude a line from matching.
   *
   * What is open of it leaves the period, with this reason: of the periods that are open, the earliest that reaches the line's day.
   */
  exclude(id: string, body: T.ExcludeLineRequest, options?: CallOptions): Call<T.Line | undefined>;

  /**
   * List what became of a line.
   *
   * Oldest first, the latest 200: how it came in, matches made and undone, exclusions and exceptions, each with who did it.
   */
  listHistory(id: string, options?: CallOptions): Call<T.LineHistory>;

  /**
   * Include an excluded line again.
   *
   * It is open again, in the period that it was excluded from.
   */
  include(id: string, body: T.IncludeLineRequest, options?: CallOptions): Call<T.Line | undefined>;

  /**
   * Look for counterparts of a line.
   *
   * Up to five open lines or groups of the other side, the most probable first, each explained. Empty where nothing of it is open.
   */
  listSuggestions(id: string, query?: T.ListLineSuggestionsQuery, options?: CallOptions): Call<T.LineSuggestions>;
}

/** `tieout.matches` */
export interface MatchesResource {
  /**
   * Confirm, reject or undo many matches.
   *
   * All of them or none: by at most 500 ids, or by a filter with the number that you expect it to find, at most 5,000. It is one decision, taken back as one. What is decided by filter doesn't count as proof that the engine may match by itself. Undoing needs the right to write reconciliations.
   */
  decide(body: T.DecideMatchesRequest, options?: CallOptions): Call<T.MatchDecisions | undefined>;

  /**
   * Get a match.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Match>;

  /**
   * Confirm a suggested match.
   *
   * Its lines are matched, and other suggestions with one of them go. Later runs learn from it, and leave it alone.
   */
  confirm(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Match | undefined>;

  /**
   * Reject a suggested match.
   *
   * These lines are not suggested together again.
   */
  reject(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Match | undefined>;

  /**
   * Undo a match.
   *
   * Its lines are open again, and exceptions that it resolved are reopened. No run makes it again.
   */
  undo(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Match | undefined>;
}

/** `tieout.me` */
export interface MeResource {
  /**
   * Get the caller and its tenant.
   *
   * Callers: any user of the tenant; any API key; the publishable key; the service-role key.
   */
  get(options?: CallOptions): Call<T.Me>;

  /**
   * Get what you are mailed.
   *
   * Callers: every role.
   */
  getNotificationSettings(options?: CallOptions): Call<T.NotificationSettings>;

  /**
   * Change what you are mailed.
   *
   * Your own, in this tenant. Alerts of one kind come at most once a minute, in one mail.
   */
  putNotificationSettings(body: T.PutNotificationSettingsRequest, options?: CallOptions): Call<T.NotificationSettings>;

  /**
   * List where you are signed in.
   *
   * Your own sessions in the dashboard that have not ended, newest first, whichever tenant you name.
   */
  listSessions(query?: T.ListSessionsQuery, options?: CallOptions): List<T.UserSessionPage>;

  /**
   * Sign out everywhere, or of some sessions.
   *
   * Ends all of your sessions in the dashboard, the one that this call was made with included; with ids, those of yours. Every cookie of them is refused within SESSION_CHECK_SECONDS (60).
   */
  endSessions(body?: T.EndSessionsRequest, options?: CallOptions): Call<T.EndedSessions>;
}

/** `tieout.members` */
export interface MembersResource {
  /**
   * List possible assignees.
   *
   * Sorted by name: the tenant's members in Supabase Auth and everyone with an assigned exception. Users of another identity provider appear with their first assignment; assigned_to accepts any user:<name>.
   */
  list(query?: T.ListMembersQuery, options?: CallOptions): List<T.MemberPage>;
}

/** `tieout.overview` */
export interface OverviewResource {
  /**
   * Get the overview of a tenant: deadlines, money, imports, keys and webhooks.
   *
   * What the dashboard's home page shows. Sums come from counters kept with every change, so it's as fast with a million exceptions.
   */
  get(options?: CallOptions): Call<T.Overview>;
}

/** `tieout.reconciliations` */
export interface ReconciliationsResource {
  /**
   * List reconciliations, newest first.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListReconciliationsQuery, options?: CallOptions): List<T.ReconciliationPage>;

  /**
   * Create a reconciliation.
   *
   * With left_source_id and right_source_id it compares the lines of these sources: matched_count and unmatched_count are computed, and setting them is a conflict. Periods of one pair of sources may not overlap. Where the sources have many lines, the first of a pair is preparing for half a minute for each million. Without sources, you send the counts.
   */
  create(body: T.CreateReconciliationRequest, options?: CallOptions): Call<T.Reconciliation>;

  /**
   * Get a reconciliation.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Reconciliation>;

  /**
   * Change a reconciliation.
   *
   * Allowed status changes: between open and in_progress; between in_progress and completed; from any status to archived, which is final. One with sources is completed by closing it; closed, it keeps its name, dates and sources.
   */
  update(id: string, body?: T.UpdateReconciliationRequest, options?: CallOptions): Call<T.Reconciliation | undefined>;

  /**
   * Get the checklist before a close.
   *
   * Computed now, for the caller. An item that blocks stands in the way of signing and closing; `checks` of the pair's rules say which ones do.
   */
  getChecklist(id: string, options?: CallOptions): Call<T.PeriodChecklist>;

  /**
   * Close a period.
   *
   * Needs lines that are all in (preparing is false), a proof that holds, a statement with no difference, and earlier periods closed; with four_eyes, a person who matched, wrote off, excluded and undid nothing in this period. Lines that arrive during the close belong to the next. Unconfirmed suggestions and open exceptions move with their lines to the next open period, or to the next one that is created. Afterwards nothing in it changes.
   *
   * Where its sources have more than 20,000 lines, the call is answered at once with closing true. Ask until it is false: then the period is closed, or closing_failure says why not; the event reconciliation.closed comes once it is. To close it again after a failure, send a new Idempotency-Key. A person closes and reopens, with tenant_admin or tenant_lead: never a key.
   */
  close(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Reconciliation>;

  /**
   * List what people decided in a period, newest first.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  listDecisions(id: string, query?: T.ListDecisionsQuery, options?: CallOptions): List<T.DecisionPage>;

  /**
   * Preview the entries of a period.
   *
   * What an open period would post if it closed now, and a closed one if it were closed again with nothing posted before. Without rules, by those of its pair. Nothing is kept.
   */
  previewEntries(id: string, body?: T.PreviewEntriesRequest, options?: CallOptions): Call<T.EntryPreview>;

  /**
   * Get the entry rules of a period's sources.
   *
   * They belong to the pair of sources. A close posts by the newest version.
   */
  getEntryRules(id: string, options?: CallOptions): Call<T.EntryRuleSet>;

  /**
   * Set the entry rules of a period's sources.
   *
   * Creates a new version for the closes to come. Without ledger, its settings stay. Batches that exist don't change; a period that is reopened is posted anew by the version of its next close.
   */
  putEntryRules(id: string, body: T.PutEntryRulesRequest, options?: CallOptions): Call<T.EntryRuleSet | undefined>;

  /**
   * List a period's matches, newest first.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  listMatches(id: string, query?: T.ListMatchesQuery, options?: CallOptions): List<T.MatchPage>;

  /**
   * Match lines by hand.
   *
   * Takes all that is open of these lines. What left − right leaves has to be explained by adjustments, to the minor unit, unless it is just the fees that came with the lines, which become one; lines of one side have to cancel each other. A write-off is a person's to decide, and what an API key adjusts stays within the tolerance of the rules. The lines of a side come to at most 2^53 − 1 in minor units.
   */
  createMatch(id: string, body: T.CreateMatchRequest, options?: CallOptions): Call<T.Match>;

  /**
   * Export a period's matches.
   *
   * Streams all that the filters leave, newest first: a row for each line of a match. `amount_minor` is what of the line it takes. The export is recorded as a security event.
   */
  exportMatches(id: string, query?: Omit<T.ExportMatchesQuery, "format"> & Partial<Pick<T.ExportMatchesQuery, "format">>, options?: CallOptions): Export;

  /**
   * List what is open in a period.
   *
   * Lines to work through, the oldest first or those with the most money, each with its best suggestion. Empty once it is closed.
   */
  listOpenLines(id: string, query?: T.ListOpenLinesQuery, options?: CallOptions): List<T.OpenLinePage>;

  /**
   * Sign a period as prepared.
   *
   * Says that its work is done. A line that arrives, a match, an undo, an exclusion or another balance revokes the signature, and `sign_off` then says why. A person prepares, with tenant_admin, tenant_lead or tenant_analyst.
   */
  prepare(id: string, body?: T.PrepareReconciliationRequest, options?: CallOptions): Call<T.Reconciliation>;

  /**
   * Get the proof that no cent is missing.
   *
   * Per currency and side in minor units, added up from the lines themselves, with the signs of the statement. Of a closed period as it was when it closed, and in `closing` whether everything that closed is still the same.
   */
  getProof(id: string, options?: CallOptions): Call<T.PeriodProof>;

  /**
   * Reopen a closed period.
   *
   * Later periods have to be open. Its matches and its signed statement are kept, and the next close signs another. Suggestions and exceptions of its lines without a decision since the close come back. A person closes and reopens, with tenant_admin or tenant_lead: never a key.
   */
  reopen(id: string, body: T.ReopenReconciliationRequest, options?: CallOptions): Call<T.Reconciliation>;

  /**
   * Return a signed period to work.
   *
   * Revokes its signatures, which are kept with the reason.
   */
  return(id: string, body: T.ReturnReconciliationRequest, options?: CallOptions): Call<T.Reconciliation>;

  /**
   * Sign a prepared period as reviewed.
   *
   * Each level is another person than the preparer and the reviewers before, by the issuer and subject of their tokens. `review_levels` of the pair's rules says how many levels a close needs.
   */
  review(id: string, body?: T.ReviewReconciliationRequest, options?: CallOptions): Call<T.Reconciliation>;

  /**
   * Get the rules of a period's sources.
   *
   * They belong to the pair of sources: every open period of it goes by the newest version.
   */
  getRules(id: string, options?: CallOptions): Call<T.RuleSet>;

  /**
   * Set the rules of a period's sources.
   *
   * Creates a new version and runs open periods again by it. Fields that are left out, other than rules, keep their values. With dry_run nothing is kept: the run's impact shows what would newly match, no longer match and change. reset_learning discards what was learned, forget_names single names.
   */
  putRules(id: string, body: T.PutRulesRequest, options?: CallOptions): Call<T.RuleSetChange | undefined>;

  /**
   * List a period's runs, newest first.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  listRuns(id: string, query?: T.ListRunsQuery, options?: CallOptions): List<T.RunPage>;

  /**
   * Run the rules.
   *
   * Runs of one pair of sources take turns, and wait while the reconciliation is preparing; where one of this period waits already, it is the answer. Where nothing has changed since the last run, it ends at once with that one's result. With dry_run nothing is kept: the run's impact shows what it would change, with other rules if you send some. A dry run of a closed period looks at the lines that the period had.
   */
  createRun(id: string, body?: T.CreateRunRequest, options?: CallOptions): Call<T.Run>;

  /**
   * Get the reconciliation statement.
   *
   * Balances of both sides, what is outstanding and how old, what was adjusted, left over and excluded, and the difference. The sums in `balances` and `differences` are of all periods up to this one, the items of this one. Of a closed period as it was when it closed. While the reconciliation is preparing, what isn't in yet is part of the difference.
   *
   * An amount of a line is as posted, negated where its source is `inverted`. An amount of both sides (an adjustment, a residual, a difference) is left − right: positive where the left side is the larger.
   */
  getStatement(id: string, options?: CallOptions): Call<T.ReconciliationStatement>;

  /**
   * Export a statement.
   *
   * All of the statement as one table; a closed period's is always the same. `kind` says what a row is: `balance` (`item` names the sum), `outstanding`, `adjustment` (`item` is its kind), `residual`, `exclusion`, and with `matches` `match`, a row for each line of a match (`item` is the rule, or manual). `amount` is in the currency's own unit and `amount_minor` in minor units; without a side they are left − right.
   *
   * As a workbook (`xlsx`) it has a sheet per kind, with amounts in the currency's own unit. One of more than 15 digits, which a spreadsheet would round, is text there. The export is recorded as a security event.
   */
  exportStatement(id: string, query?: Omit<T.ExportStatementQuery, "format"> & Partial<Pick<T.ExportStatementQuery, "format">>, options?: CallOptions): Export;

  /**
   * Get the statement as a PDF.
   *
   * For people: both sources, the signatures, the reconciliation of balances, open items, what is outstanding by age and by line, adjustments, residuals and exclusions, with the digest on each page. Of an open period as it stands now, marked as not closed.
   */
  getStatementPdf(id: string, options?: CallOptions): Export;

  /**
   * List a period's signed statements, newest first.
   *
   * Each close signs one, with the next number. Reopening the period keeps it and says who reopened it, when and why.
   */
  listSignedStatements(id: string, query?: T.ListSignedStatementsQuery, options?: CallOptions): List<T.StatementSignaturePage>;

  /**
   * Get a signed statement.
   *
   * The statement as it was when the period closed for this time.
   */
  getSignedStatement(id: string, number: string, options?: CallOptions): Call<T.SignedStatement>;

  /**
   * Get a signed statement with all that proves it.
   *
   * A zip of the statement, its matches, members, exclusions and carried lines, the hashes of its evidence, its entries for the ledger, the signatures, the rules and engine versions, and a verifier. For who may read the audit log, the slice of it that covers the close, with its signed checkpoint. `node verify.mjs bundle.zip` checks it offline, on Node 20 or newer, without anything installed: that lines are matched, excluded or open to the cent, and that digest, chain and signature agree.
   */
  getStatementBundle(id: string, number: string, options?: CallOptions): Export;

  /**
   * Group a period's suggestions by rule and score.
   *
   * The most probable first, each with the money and with how people decided on such so far: confirmed ÷ (confirmed + rejected) is the band's measured precision. What was decided many at once isn't counted.
   */
  listSuggestionBands(id: string, options?: CallOptions): Call<T.SuggestionBands>;

  /**
   * Sample the suggestions of a band.
   *
   * At most 20, evenly from the least probable to the most. Confirm the band by POST /v1/matches/bulk with the same filter and this count.
   */
  sampleSuggestions(id: string, query: T.SampleSuggestionsQuery, options?: CallOptions): Call<T.SuggestionSample>;
}

/** `tieout.releaseNotes` */
export interface ReleaseNotesResource {
  /**
   * List release notes, newest first.
   *
   * Callers: every role; an API key with `read:release-notes`; the publishable key; the service-role key.
   */
  list(query?: T.ListReleaseNotesQuery, options?: CallOptions): List<T.ReleaseNotePage>;

  /**
   * Create a release note.
   *
   * Any JSON object, up to 64 kB. Other fields are stored as sent.
   */
  create(body?: T.CreateReleaseNoteRequest, options?: CallOptions): Call<T.ReleaseNote>;

  /**
   * Delete a release note.
   *
   * A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
   */
  delete(id: string, options?: CallOptions): Call<T.ReleaseNote | undefined>;

  /**
   * Get a release note.
   *
   * Callers: every role; an API key with `read:release-notes`; the publishable key; the service-role key.
   */
  get(id: string, query?: T.GetReleaseNoteQuery, options?: CallOptions): Call<T.ReleaseNote>;

  /**
   * Change a release note.
   *
   * A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
   */
  update(id: string, body?: T.UpdateReleaseNoteRequest, options?: CallOptions): Call<T.ReleaseNote | undefined>;

  /**
   * Restore a deleted release note.
   *
   * Restoring a record that isn't deleted returns it unchanged.
   */
  restore(id: string, body?: T.IdempotentRecordRequest, options?: CallOptions): Call<T.ReleaseNote>;
}

/** `tieout.requests` */
export interface RequestsResource {
  /**
   * List requests, newest first.
   *
   * Each call of the API, a second after it was answered, for 14 days. What the dashboard reads isn't logged unless it fails. Calls with a wrong secret are logged for the tenant whose API key they name.
   */
  list(query?: T.ListRequestsQuery, options?: CallOptions): List<T.LoggedRequestPage>;

  /**
   * Count requests over time.
   *
   * With response times. Covers the last 24 hours, unless since says otherwise.
   */
  getStats(query?: T.GetRequestStatsQuery, options?: CallOptions): Call<T.RequestStats>;

  /**
   * Get a request with its headers and bodies.
   *
   * Credentials, secrets and idempotency keys are replaced by [redacted].
   */
  get(id: string, options?: CallOptions): Call<T.LoggedRequestDetail>;
}

/** `tieout.runs` */
export interface RunsResource {
  /**
   * Get a run.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Run>;
}

/** `tieout.sandbox` */
export interface SandboxResource {
  /**
   * Create the tenant's sandbox.
   *
   * A tenant for trying calls: its data and API keys (tks_test_…) are separate, its people are this tenant's. No mail leaves it. Returns the one that exists.
   */
  create(body?: T.IdempotentRequest, options?: CallOptions): Call<T.Sandbox>;

  /**
   * Reset a sandbox.
   *
   * Empties the sandbox that X-Tenant-Id names, except API keys, webhooks, alert channels and logs. Refused in a live tenant.
   */
  reset(body?: T.ResetSandboxRequest, options?: CallOptions): Call<T.Sandbox>;
}

/** `tieout.securityEvents` */
export interface SecurityEventsResource {
  /**
   * List security events, newest first.
   *
   * Callers: `tenant_admin` or `tenant_auditor`; an API key with `read:security-events`; the service-role key.
   */
  list(query?: T.ListSecurityEventsQuery, options?: CallOptions): List<T.SecurityEventPage>;

  /**
   * Export security events.
   *
   * Streams everything that matches the filters. The export is recorded as a security event.
   */
  export(query?: Omit<T.ExportSecurityEventsQuery, "format"> & Partial<Pick<T.ExportSecurityEventsQuery, "format">>, options?: CallOptions): Export;

  /**
   * Verify the audit log.
   *
   * Checks every event in the tenant's audit log against its signed states and returns the first one that fails.
   */
  verify(options?: CallOptions): Call<T.ChainVerification>;

  /**
   * Get a security event.
   *
   * Callers: `tenant_admin` or `tenant_auditor`; an API key with `read:security-events`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.SecurityEvent>;
}

/** `tieout.slaPolicy` */
export interface SlaPolicyResource {
  /**
   * Get the tenant's SLA policy.
   *
   * Callers: every role; the service-role key.
   */
  get(options?: CallOptions): Call<T.SlaPolicy>;

  /**
   * Set the tenant's SLA policy.
   *
   * With dry_run, nothing changes: the response previews the effect. New thresholds apply to upcoming deadlines. Deadlines already passed send no further events. Send the ETag you read in If-Match to avoid overwriting someone else's change.
   */
  put(body: T.PutSlaPolicyRequest, options?: CallOptions): Call<T.SlaPolicyChange>;
}

/** `tieout.sources` */
export interface SourcesResource {
  /**
   * List sources, newest first.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListSourcesQuery, options?: CallOptions): List<T.SourcePage>;

  /**
   * Create a source.
   *
   * Where lines come from: a bank account's statements, a ledger account, a processor's payouts.
   */
  create(body: T.CreateSourceRequest, options?: CallOptions): Call<T.Source>;

  /**
   * Get a source.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Source>;

  /**
   * Change a source.
   *
   * The mapping is replaced whole. Currency and sign stay as they are once the source has lines, or while they come in.
   */
  update(id: string, body?: T.UpdateSourceRequest, options?: CallOptions): Call<T.Source | undefined>;

  /**
   * List the balances of a source, newest first.
   *
   * The statements of its files, with their opening and closing balances, and single balances that were stated. Statements of periods are reconciled against them.
   */
  listBalances(id: string, query?: T.ListSourceBalancesQuery, options?: CallOptions): List<T.SourceBalancePage>;

  /**
   * State the balance of a source.
   *
   * For a source whose files have none, a ledger for example. The newest statement of a day counts.
   */
  stateBalance(id: string, body: T.StateSourceBalanceRequest, options?: CallOptions): Call<T.SourceBalance>;

  /**
   * Remove a stated balance.
   *
   * One that a file states goes when its import is undone.
   */
  removeBalance(id: string, balanceId: string, options?: CallOptions): Call<T.SourceBalance | undefined>;

  /**
   * Get a balance of a source.
   *
   * Callers: every role; an API key with `read:reconciliations`; the service-role key.
   */
  getBalance(id: string, balanceId: string, options?: CallOptions): Call<T.SourceBalance>;

  /**
   * Import a file of lines.
   *
   * The file is the body: CSV, an Excel workbook (.xlsx, up to 32 MiB), NDJSON, JSON, camt.052, 053 or 054, MT940 or MT942, BAI2, OFX; also packed by gzip, or alone in a zip. Its first bytes show the format; a workbook's sheet is read as CSV. It is read in the background and saved whole or not at all; lines that were imported before are counted as duplicates, so the same file and overlapping statements do no harm. At most 1 GiB and 5 million lines. With preview=true nothing is saved: the response shows what the import would do.
   */
  createImport(id: string, file: FileBody, query?: T.CreateImportQuery, options?: CallOptions): Call<T.ImportPreview | T.Import>;

  /**
   * Add lines to a source.
   *
   * A line that is there already is a duplicate and changes nothing: known by its external_id, else by its content and its number among equals of this call. One bad line refuses the whole call.
   */
  addLines(id: string, body: T.AddLinesRequest, options?: CallOptions): Call<T.AddedLines>;
}

/** `tieout.tenantMembers` */
export interface TenantMembersResource {
  /**
   * List a tenant's members.
   *
   * The accounts of Supabase Auth that are in the tenant, sorted by email address. Who signs in with another identity provider is a member by its token, and not listed here.
   */
  list(id: string, query?: T.ListTenantMembersQuery, options?: CallOptions): List<T.TenantMemberPage>;

  /**
   * Remove a member.
   *
   * Ends their access to the tenant, and their sessions if they are in no other tenant: at once in the process that served the call, within SESSION_CHECK_SECONDS (60) in every other, for cookies and tokens alike. The account itself stays. The last admin can't be removed.
   */
  remove(id: string, memberId: string, body?: T.RemoveTenantMemberRequest, options?: CallOptions): Call<T.RemoveTenantMemberResult>;

  /**
   * Get a member.
   *
   * Callers: `tenant_admin`.
   */
  get(id: string, memberId: string, options?: CallOptions): Call<T.TenantMember>;

  /**
   * Change a member's roles.
   *
   * Takes effect at once in the process that served the call, and within SESSION_CHECK_SECONDS (60) in every other. A tenant keeps at least one admin: demoting the last one is a conflict.
   */
  update(id: string, memberId: string, body: T.UpdateTenantMemberRequest, options?: CallOptions): Call<T.TenantMember>;
}

/** `tieout.troubleshooting` */
export interface TroubleshootingResource {
  /**
   * List troubleshooting, newest first.
   *
   * Callers: every role; an API key with `read:troubleshooting`; the publishable key; the service-role key.
   */
  list(query?: T.ListTroubleshootingQuery, options?: CallOptions): List<T.TroubleshootingGuidePage>;

  /**
   * Create a troubleshooting guide.
   *
   * Any JSON object, up to 64 kB. Other fields are stored as sent.
   */
  create(body?: T.CreateTroubleshootingGuideRequest, options?: CallOptions): Call<T.TroubleshootingGuide>;

  /**
   * Delete a troubleshooting guide.
   *
   * A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
   */
  delete(id: string, options?: CallOptions): Call<T.TroubleshootingGuide | undefined>;

  /**
   * Get a troubleshooting guide.
   *
   * Callers: every role; an API key with `read:troubleshooting`; the publishable key; the service-role key.
   */
  get(id: string, query?: T.GetTroubleshootingGuideQuery, options?: CallOptions): Call<T.TroubleshootingGuide>;

  /**
   * Change a troubleshooting guide.
   *
   * A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
   */
  update(id: string, body?: T.UpdateTroubleshootingGuideRequest, options?: CallOptions): Call<T.TroubleshootingGuide | undefined>;

  /**
   * Restore a deleted troubleshooting guide.
   *
   * Restoring a record that isn't deleted returns it unchanged.
   */
  restore(id: string, body?: T.IdempotentRecordRequest, options?: CallOptions): Call<T.TroubleshootingGuide>;
}

/** `tieout.views` */
export interface ViewsResource {
  /**
   * List your views and those shared with you, oldest first.
   *
   * Callers: every role.
   */
  list(query?: T.ListViewsQuery, options?: CallOptions): List<T.ViewPage>;

  /**
   * Save a view.
   *
   * Filters of exceptions under a name. A person can have at most 50.
   */
  create(body: T.CreateViewRequest, options?: CallOptions): Call<T.View>;

  /**
   * Delete a view.
   *
   * Can't be undone. A shared view can be deleted by its creator or an admin.
   */
  delete(id: string, options?: CallOptions): Call<T.DeletedView>;

  /**
   * Get a view.
   *
   * Callers: every role.
   */
  get(id: string, options?: CallOptions): Call<T.View>;

  /**
   * Change a view.
   *
   * A JSON merge patch (RFC 7396), except that filters are replaced as a whole. A shared view can be changed by its creator or an admin.
   */
  update(id: string, body?: T.UpdateViewRequest, options?: CallOptions): Call<T.View>;
}

/** `tieout.webhookDeliveries` */
export interface WebhookDeliveriesResource {
  /**
   * List all webhooks' deliveries, newest first.
   *
   * Deliveries are kept for 30 days.
   */
  list(query?: T.ListDeliveriesQuery, options?: CallOptions): List<T.WebhookDeliveryPage>;

  /**
   * Count all webhooks' attempts by hour.
   *
   * With response times.
   */
  getStats(options?: CallOptions): Call<T.WebhookStats>;
}

/** `tieout.webhooks` */
export interface WebhooksResource {
  /**
   * List webhooks, newest first.
   *
   * Callers: `tenant_admin`; an API key with `read:webhooks`; the service-role key.
   */
  list(query?: T.ListWebhooksQuery, options?: CallOptions): List<T.WebhookPage>;

  /**
   * Register a webhook.
   *
   * Events are signed by the Standard Webhooks scheme, with your secret or one created for you. Delivery starts with the next event.
   */
  create(body: T.CreateWebhookRequest, options?: CallOptions): Call<T.NewWebhook>;

  /**
   * Preview a webhook's filters.
   *
   * Counts the events of the last 7 days that a webhook with these filters would have got.
   */
  previewFilters(body: T.PreviewWebhookFiltersRequest, options?: CallOptions): Call<T.WebhookFilterPreview>;

  /**
   * Delete a webhook.
   *
   * Can't be undone. No more events are sent to it and its signing secret is destroyed.
   */
  delete(id: string, options?: CallOptions): Call<T.DeletedWebhook | undefined>;

  /**
   * Get a webhook and its health.
   *
   * Callers: `tenant_admin`; an API key with `read:webhooks`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Webhook>;

  /**
   * Change, disable or enable a webhook.
   *
   * A JSON merge patch; filters and headers are replaced whole. Disabling cancels pending retries; recover resends them later. reason is stored with the webhook. A change of the address's host needs the values of all headers again.
   */
  update(id: string, body?: T.UpdateWebhookRequest, options?: CallOptions): Call<T.Webhook | undefined>;

  /**
   * List a webhook's deliveries, newest first.
   *
   * Deliveries are kept for 30 days.
   */
  listDeliveries(id: string, query?: T.ListWebhookDeliveriesQuery, options?: CallOptions): List<T.WebhookDeliveryPage>;

  /**
   * Get a delivery with its payload, attempts and responses.
   *
   * Callers: `tenant_admin`; an API key with `read:webhooks`; the service-role key.
   */
  getDelivery(id: string, deliveryId: string, options?: CallOptions): Call<T.WebhookDeliveryDetail>;

  /**
   * Resend a delivery.
   *
   * Immediately, with the same webhook-id, even if it was delivered. Returns 409 while it is being sent or if the webhook is disabled.
   */
  resendDelivery(id: string, deliveryId: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.WebhookDelivery | undefined>;

  /**
   * Enable a webhook.
   *
   * Regardless of why it was disabled. Missed deliveries aren't resent automatically: recover from missed_since.
   */
  enable(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Webhook | undefined>;

  /**
   * Recover missed deliveries.
   *
   * Resends deliveries of events since then that failed or are waiting for a retry. With dry_run they are only counted. A disabled webhook returns 409, except with dry_run.
   */
  recover(id: string, body: T.RecoverWebhookRequest, options?: CallOptions): Call<T.WebhookRecovery | undefined>;

  /**
   * Rotate a webhook's signing secret.
   *
   * During the grace period, both the new and the previous secret sign.
   */
  rotateSecret(id: string, body?: T.RotateWebhookSecretRequest, options?: CallOptions): Call<T.NewWebhook>;

  /**
   * Count a webhook's attempts by hour.
   *
   * With response times.
   */
  getStats(id: string, options?: CallOptions): Call<T.WebhookStats>;

  /**
   * Send a test event.
   *
   * Returns the delivery; its attempts show the result. The event is sent to this webhook alone, subscribed or not. Any type except webhook.test has example data, with `"test": true` next to `data`. A disabled webhook returns 409.
   */
  test(id: string, body?: T.TestWebhookRequest, options?: CallOptions): Call<T.WebhookDelivery>;
}

/** All resources of the API. */
export abstract class Resources {
  declare readonly alertChannels: AlertChannelsResource;
  declare readonly apiKeys: ApiKeysResource;
  declare readonly calendars: CalendarsResource;
  declare readonly closingBoard: ClosingBoardResource;
  declare readonly connections: ConnectionsResource;
  declare readonly decisions: DecisionsResource;
  declare readonly entryBatches: EntryBatchesResource;
  declare readonly events: EventsResource;
  declare readonly evidence: EvidenceResource;
  declare readonly exceptions: ExceptionsResource;
  declare readonly firstSteps: FirstStepsResource;
  declare readonly holidays: HolidaysResource;
  declare readonly imports: ImportsResource;
  declare readonly integrations: IntegrationsResource;
  declare readonly invitations: InvitationsResource;
  declare readonly lines: LinesResource;
  declare readonly matches: MatchesResource;
  declare readonly me: MeResource;
  declare readonly members: MembersResource;
  declare readonly overview: OverviewResource;
  declare readonly reconciliations: ReconciliationsResource;
  declare readonly releaseNotes: ReleaseNotesResource;
  declare readonly requests: RequestsResource;
  declare readonly runs: RunsResource;
  declare readonly sandbox: SandboxResource;
  declare readonly securityEvents: SecurityEventsResource;
  declare readonly slaPolicy: SlaPolicyResource;
  declare readonly sources: SourcesResource;
  declare readonly tenantMembers: TenantMembersResource;
  declare readonly troubleshooting: TroubleshootingResource;
  declare readonly views: ViewsResource;
  declare readonly webhookDeliveries: WebhookDeliveriesResource;
  declare readonly webhooks: WebhooksResource;
}

/**
 * The route of each method. Flags: L a list, E an export, I takes an idempotency key, B has a body,
 * F has a file as its body, Q has a query.
 */
export const ROUTES: Record<string, Record<string, string>> = {
  alertChannels: {
    list: "GET /v1/alert-channels LQ",
    create: "POST /v1/alert-channels IB",
    delete: "DELETE /v1/alert-channels/{id}",
    get: "GET /v1/alert-channels/{id}",
    update: "PATCH /v1/alert-channels/{id} B",
    test: "POST /v1/alert-channels/{id}/test IB",
  },
  apiKeys: {
    list: "GET /v1/tenants/{id}/api-keys LQ",
    create: "POST /v1/tenants/{id}/api-keys IB",
    revoke: "DELETE /v1/tenants/{id}/api-keys/{keyId} IB",
    get: "GET /v1/tenants/{id}/api-keys/{keyId}",
    update: "PATCH /v1/tenants/{id}/api-keys/{keyId} B",
    estimateImpact: "POST /v1/tenants/{id}/api-keys/{keyId}/impact IB",
    rotate: "POST /v1/tenants/{id}/api-keys/{keyId}/rotate IB",
    getUsage: "GET /v1/tenants/{id}/api-keys/{keyId}/usage",
  },
  calendars: {
    list: "GET /v1/calendars LQ",
    create: "POST /v1/calendars IB",
    readIcs: "POST /v1/calendars/read-ics IB",
    get: "GET /v1/calendars/{id}",
    put: "PUT /v1/calendars/{id} B",
    getIcs: "GET /v1/calendars/{id}/ics",
    listOpenHours: "GET /v1/calendars/{id}/open-hours Q",
    listVersions: "GET /v1/calendars/{id}/versions LQ",
  },
  closingBoard: {
    get: "GET /v1/closing-board LQ",
    openNextPeriods: "POST /v1/closing-board/next IB",
  },
  connections: {
    list: "GET /v1/connections LQ",
    create: "POST /v1/connections IB",
    delete: "DELETE /v1/connections/{id}",
    get: "GET /v1/connections/{id}",
    update: "PATCH /v1/connections/{id} B",
    fetch: "POST /v1/connections/{id}/fetch IB",
    listFiles: "GET /v1/connections/{id}/files LQ",
    test: "POST /v1/connections/{id}/test IB",
  },
  decisions: {
    undo: "POST /v1/decisions/{id}/undo IB",
  },
  entryBatches: {
    list: "GET /v1/entry-batches LQ",
    get: "GET /v1/entry-batches/{id}",
    listEntries: "GET /v1/entry-batches/{id}/entries LQ",
    exportEntries: "GET /v1/entry-batches/{id}/entries/export EQ",
    markExported: "POST /v1/entry-batches/{id}/exported IB",
    getLedgerFile: "GET /v1/entry-batches/{id}/ledger-file EQ",
    push: "POST /v1/entry-batches/{id}/push IB",
  },
  events: {
    list: "GET /v1/events LQ",
    createTest: "POST /v1/events IB",
    get: "GET /v1/events/{id}",
  },
  evidence: {
    list: "GET /v1/evidence LQ",
    add: "POST /v1/evidence IFQ",
    remove: "DELETE /v1/evidence/{id} B",
    get: "GET /v1/evidence/{id}",
    getContent: "GET /v1/evidence/{id}/content E",
  },
  exceptions: {
    list: "GET /v1/exceptions LQ",
    create: "POST /v1/exceptions IB",
    updateMany: "POST /v1/exceptions/bulk IB",
    export: "GET /v1/exceptions/export EQ",
    import: "POST /v1/exceptions/import IF",
    listSla: "GET /v1/exceptions/sla LQ",
    listSlaChanges: "GET /v1/exceptions/sla/changes LQ",
    exportSla: "GET /v1/exceptions/sla/export EQ",
    getSlaFacets: "GET /v1/exceptions/sla/facets Q",
    getSlaReport: "GET /v1/exceptions/sla/report Q",
    exportSlaReport: "GET /v1/exceptions/sla/report/export EQ",
    getTimeToBreach: "GET /v1/exceptions/sla/time-to-breach",
    get: "GET /v1/exceptions/{id}",
    update: "PATCH /v1/exceptions/{id} B",
    listComments: "GET /v1/exceptions/{id}/comments LQ",
    createComment: "POST /v1/exceptions/{id}/comments IB",
    listHistory: "GET /v1/exceptions/{id}/history LQ",
    getLedger: "GET /v1/exceptions/{id}/ledger",
    pause: "POST /v1/exceptions/{id}/pause IB",
    resume: "POST /v1/exceptions/{id}/resume IB",
  },
  firstSteps: {
    get: "GET /v1/first-steps",
    put: "PUT /v1/first-steps B",
  },
  holidays: {
    list: "GET /v1/holidays Q",
    listCountries: "GET /v1/holidays/countries",
  },
  imports: {
    list: "GET /v1/imports LQ",
    get: "GET /v1/imports/{id}",
    undo: "POST /v1/imports/{id}/undo IB",
  },
  integrations: {
    list: "GET /v1/integrations LQ",
    create: "POST /v1/integrations IB",
    delete: "DELETE /v1/integrations/{id}",
    get: "GET /v1/integrations/{id} Q",
    update: "PATCH /v1/integrations/{id} B",
    restore: "POST /v1/integrations/{id}/restore IB",
  },
  invitations: {
    list: "GET /v1/tenants/{id}/invitations LQ",
    create: "POST /v1/tenants/{id}/invitations IB",
    revoke: "DELETE /v1/tenants/{id}/invitations/{invitationId}",
    get: "GET /v1/tenants/{id}/invitations/{invitationId}",
    resend: "POST /v1/tenants/{id}/invitations/{invitationId}/resend IB",
  },
  lines: {
    list: "GET /v1/lines LQ",
    get: "GET /v1/lines/{id}",
    exclude: "POST /v1/lines/{id}/exclude IB",
    listHistory: "GET /v1/lines/{id}/history",
    include: "POST /v1/lines/{id}/include IB",
    listSuggestions: "GET /v1/lines/{id}/suggestions Q",
  },
  matches: {
    decide: "POST /v1/matches/bulk IB",
    get: "GET /v1/matches/{id}",
    confirm: "POST /v1/matches/{id}/confirm IB",
    reject: "POST /v1/matches/{id}/reject IB",
    undo: "POST /v1/matches/{id}/undo IB",
  },
  me: {
    get: "GET /v1/me",
    getNotificationSettings: "GET /v1/me/notifications",
    putNotificationSettings: "PUT /v1/me/notifications B",
    listSessions: "GET /v1/me/sessions LQ",
    endSessions: "POST /v1/me/sessions/end IB",
  },
  members: {
    list: "GET /v1/members LQ",
  },
  overview: {
    get: "GET /v1/overview",
  },
  reconciliations: {
    list: "GET /v1/reconciliations LQ",
    create: "POST /v1/reconciliations IB",
    get: "GET /v1/reconciliations/{id}",
    update: "PATCH /v1/reconciliations/{id} B",
    getChecklist: "GET /v1/reconciliations/{id}/checklist",
    close: "POST /v1/reconciliations/{id}/close IB",
    listDecisions: "GET /v1/reconciliations/{id}/decisions LQ",
    previewEntries: "POST /v1/reconciliations/{id}/entries/preview IB",
    getEntryRules: "GET /v1/reconciliations/{id}/entry-rules",
    putEntryRules: "PUT /v1/reconciliations/{id}/entry-rules B",
    listMatches: "GET /v1/reconciliations/{id}/matches LQ",
    createMatch: "POST /v1/reconciliations/{id}/matches IB",
    exportMatches: "GET /v1/reconciliations/{id}/matches/export EQ",
    listOpenLines: "GET /v1/reconciliations/{id}/open-lines LQ",
    prepare: "POST /v1/reconciliations/{id}/prepare IB",
    getProof: "GET /v1/reconciliations/{id}/proof",
    reopen: "POST /v1/reconciliations/{id}/reopen IB",
    return: "POST /v1/reconciliations/{id}/return IB",
    review: "POST /v1/reconciliations/{id}/review IB",
    getRules: "GET /v1/reconciliations/{id}/rules",
    putRules: "PUT /v1/reconciliations/{id}/rules B",
    listRuns: "GET /v1/reconciliations/{id}/runs LQ",
    createRun: "POST /v1/reconciliations/{id}/runs IB",
    getStatement: "GET /v1/reconciliations/{id}/statement",
    exportStatement: "GET /v1/reconciliations/{id}/statement/export EQ",
    getStatementPdf: "GET /v1/reconciliations/{id}/statement/pdf E",
    listSignedStatements: "GET /v1/reconciliations/{id}/statements LQ",
    getSignedStatement: "GET /v1/reconciliations/{id}/statements/{number}",
    getStatementBundle: "GET /v1/reconciliations/{id}/statements/{number}/bundle E",
    listSuggestionBands: "GET /v1/reconciliations/{id}/suggestion-bands",
    sampleSuggestions: "GET /v1/reconciliations/{id}/suggestion-sample Q",
  },
  releaseNotes: {
    list: "GET /v1/release-notes LQ",
    create: "POST /v1/release-notes IB",
    delete: "DELETE /v1/release-notes/{id}",
    get: "GET /v1/release-notes/{id} Q",
    update: "PATCH /v1/release-notes/{id} B",
    restore: "POST /v1/release-notes/{id}/restore IB",
  },
  requests: {
    list: "GET /v1/requests LQ",
    getStats: "GET /v1/requests/stats Q",
    get: "GET /v1/requests/{id}",
  },
  runs: {
    get: "GET /v1/runs/{id}",
  },
  sandbox: {
    create: "POST /v1/sandbox IB",
    reset: "POST /v1/sandbox/reset IB",
  },
  securityEvents: {
    list: "GET /v1/security-events LQ",
    export: "GET /v1/security-events/export EQ",
    verify: "GET /v1/security-events/verify",
    get: "GET /v1/security-events/{id}",
  },
  slaPolicy: {
    get: "GET /v1/sla-policy",
    put: "PUT /v1/sla-policy B",
  },
  sources: {
    list: "GET /v1/sources LQ",
    create: "POST /v1/sources IB",
    get: "GET /v1/sources/{id}",
    update: "PATCH /v1/sources/{id} B",
    listBalances: "GET /v1/sources/{id}/balances LQ",
    stateBalance: "POST /v1/sources/{id}/balances IB",
    removeBalance: "DELETE /v1/sources/{id}/balances/{balanceId}",
    getBalance: "GET /v1/sources/{id}/balances/{balanceId}",
    createImport: "POST /v1/sources/{id}/imports IFQ",
    addLines: "POST /v1/sources/{id}/lines IB",
  },
  tenantMembers: {
    list: "GET /v1/tenants/{id}/members LQ",
    remove: "DELETE /v1/tenants/{id}/members/{memberId} IB",
    get: "GET /v1/tenants/{id}/members/{memberId}",
    update: "PATCH /v1/tenants/{id}/members/{memberId} B",
  },
  troubleshooting: {
    list: "GET /v1/troubleshooting LQ",
    create: "POST /v1/troubleshooting IB",
    delete: "DELETE /v1/troubleshooting/{id}",
    get: "GET /v1/troubleshooting/{id} Q",
    update: "PATCH /v1/troubleshooting/{id} B",
    restore: "POST /v1/troubleshooting/{id}/restore IB",
  },
  views: {
    list: "GET /v1/views LQ",
    create: "POST /v1/views IB",
    delete: "DELETE /v1/views/{id}",
    get: "GET /v1/views/{id}",
    update: "PATCH /v1/views/{id} B",
  },
  webhookDeliveries: {
    list: "GET /v1/webhook-deliveries LQ",
    getStats: "GET /v1/webhook-deliveries/stats",
  },
  webhooks: {
    list: "GET /v1/webhooks LQ",
    create: "POST /v1/webhooks IB",
    previewFilters: "POST /v1/webhooks/preview-filters IB",
    delete: "DELETE /v1/webhooks/{id}",
    get: "GET /v1/webhooks/{id}",
    update: "PATCH /v1/webhooks/{id} B",
    listDeliveries: "GET /v1/webhooks/{id}/deliveries LQ",
    getDelivery: "GET /v1/webhooks/{id}/deliveries/{deliveryId}",
    resendDelivery: "POST /v1/webhooks/{id}/deliveries/{deliveryId}/resend IB",
    enable: "POST /v1/webhooks/{id}/enable IB",
    recover: "POST /v1/webhooks/{id}/recover IB",
    rotateSecret: "POST /v1/webhooks/{id}/rotate-secret IB",
    getStats: "GET /v1/webhooks/{id}/stats",
    test: "POST /v1/webhooks/{id}/test IB",
  },
};

/** The decimals of currencies that don't have two. */
export const DECIMALS: Record<string, number> = {
  BHD: 3,
  BIF: 0,
  CLF: 4,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  IQD: 3,
  ISK: 0,
  JOD: 3,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  PYG: 0,
  RWF: 0,
  TND: 3,
  UGX: 0,
  UYI: 0,
  UYW: 4,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
};
