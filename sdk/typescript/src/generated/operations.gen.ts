// Written by `npm run generate` from openapi.json.

import { type Call, callOf, type List, listOf, Resource } from "../call.ts";
import { type Export, exportOf } from "../export.ts";
import { type CallOptions, type FileBody, segment } from "../request.ts";
import { type WaitOptions, waitFor } from "../waits.ts";
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
export class AlertChannelsResource extends Resource {
  /**
   * List alert channels, newest first.
   *
   * Callers: `tenant_admin`; the service-role key.
   */
  list(query?: T.ListAlertChannelsQuery, options?: CallOptions): List<T.AlertChannelPage> {
    return listOf(this.send, "/v1/alert-channels", query, options);
  }

  /**
   * Add an alert channel.
   *
   * At most 20. The address must be public, like a webhook's.
   */
  create(body: T.CreateAlertChannelRequest, options?: CallOptions): Call<T.AlertChannel> {
    return callOf(this.send, { method: "POST", path: "/v1/alert-channels", body, keyed: true, options });
  }

  /**
   * Delete an alert channel.
   *
   * Callers: `tenant_admin`; the service-role key.
   */
  delete(id: string, options?: CallOptions): Call<T.AlertChannel> {
    return callOf(this.send, { method: "DELETE", path: `/v1/alert-channels/${segment("id", id)}`, options });
  }

  /**
   * Get an alert channel.
   *
   * Callers: `tenant_admin`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.AlertChannel> {
    return callOf(this.send, { method: "GET", path: `/v1/alert-channels/${segment("id", id)}`, options });
  }

  /**
   * Change an alert channel.
   *
   * Callers: `tenant_admin`; the service-role key.
   */
  update(id: string, body?: T.UpdateAlertChannelRequest, options?: CallOptions): Call<T.AlertChannel> {
    return callOf(this.send, { method: "PATCH", path: `/v1/alert-channels/${segment("id", id)}`, body, options });
  }

  /**
   * Send a test message.
   *
   * Returns before the message is sent: last_sent_at or last_failure shows the result.
   */
  test(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.AlertChannel> {
    return callOf(this.send, { method: "POST", path: `/v1/alert-channels/${segment("id", id)}/test`, body, keyed: true, options });
  }
}

/** `tieout.apiKeys` */
export class ApiKeysResource extends Resource {
  /**
   * List API keys, newest first.
   *
   * Callers: `tenant_admin`.
   */
  list(id: string, query?: T.ListApiKeysQuery, options?: CallOptions): List<T.ApiKeyPage> {
    return listOf(this.send, `/v1/tenants/${segment("id", id)}/api-keys`, query, options);
  }

  /**
   * Create an API key.
   *
   * This is the only response that includes key_secret. The credential is <key_id>.<key_secret>.
   */
  create(id: string, body: T.CreateApiKeyRequest, options?: CallOptions): Call<T.NewApiKey> {
    return callOf(this.send, { method: "POST", path: `/v1/tenants/${segment("id", id)}/api-keys`, body, keyed: true, options });
  }

  /**
   * Revoke an API key.
   *
   * Takes effect immediately and can't be undone. Revoking a revoked key returns it unchanged. Webhooks it registered stay active, unless disable_webhooks is true.
   */
  revoke(id: string, keyId: string, body?: T.RevokeApiKeyRequest, options?: CallOptions): Call<T.ApiKey> {
    return callOf(this.send, { method: "DELETE", path: `/v1/tenants/${segment("id", id)}/api-keys/${segment("keyId", keyId)}`, body, keyed: true, options });
  }

  /**
   * Get an API key's metadata.
   *
   * Callers: `tenant_admin`.
   */
  get(id: string, keyId: string, options?: CallOptions): Call<T.ApiKey> {
    return callOf(this.send, { method: "GET", path: `/v1/tenants/${segment("id", id)}/api-keys/${segment("keyId", keyId)}`, options });
  }

  /**
   * Change an API key.
   *
   * Callers: `tenant_admin`.
   */
  update(id: string, keyId: string, body?: T.UpdateApiKeyRequest, options?: CallOptions): Call<T.ApiKey> {
    return callOf(this.send, { method: "PATCH", path: `/v1/tenants/${segment("id", id)}/api-keys/${segment("keyId", keyId)}`, body, options });
  }

  /**
   * Preview a change to an API key.
   *
   * Counts the calls in the last 7 days that the change would have refused. expires_at may be in the past here: it refuses calls made after it.
   */
  estimateImpact(id: string, keyId: string, body?: T.EstimateApiKeyImpactRequest, options?: CallOptions): Call<T.ApiKeyImpact> {
    return callOf(this.send, { method: "POST", path: `/v1/tenants/${segment("id", id)}/api-keys/${segment("keyId", keyId)}/impact`, body, keyed: true, options });
  }

  /**
   * Rotate an API key.
   *
   * Returns a successor with its secret. The old key stays valid for the grace period, but never past its own expiry.
   */
  rotate(id: string, keyId: string, body?: T.RotateApiKeyRequest, options?: CallOptions): Call<T.NewApiKey> {
    return callOf(this.send, { method: "POST", path: `/v1/tenants/${segment("id", id)}/api-keys/${segment("keyId", keyId)}/rotate`, body, keyed: true, options });
  }

  /**
   * Get an API key's usage.
   *
   * Callers: `tenant_admin`.
   */
  getUsage(id: string, keyId: string, options?: CallOptions): Call<T.ApiKeyUsage> {
    return callOf(this.send, { method: "GET", path: `/v1/tenants/${segment("id", id)}/api-keys/${segment("keyId", keyId)}/usage`, options });
  }
}

/** `tieout.calendars` */
export class CalendarsResource extends Resource {
  /**
   * List calendars, newest first.
   *
   * Callers: all roles; API keys with `read:exceptions`; the service-role key.
   */
  list(query?: T.ListCalendarsQuery, options?: CallOptions): List<T.CalendarPage> {
    return listOf(this.send, "/v1/calendars", query, options);
  }

  /**
   * Create a calendar.
   *
   * When your team works. It is open whenever the local clock shows a time inside an interval: the hour skipped in spring is never open, the hour repeated in autumn is open twice. At most 100 calendars.
   */
  create(body: T.CreateCalendarRequest, options?: CallOptions): Call<T.Calendar> {
    return callOf(this.send, { method: "POST", path: "/v1/calendars", body, keyed: true, options });
  }

  /**
   * Read special days from an ICS file.
   *
   * All-day events (RFC 5545) become closed days; yearly and monthly ones for five years ahead. Moved and cancelled occurrences are respected. Nothing is added to a calendar until you send the days as special_days.
   */
  readIcs(body: T.ReadIcsRequest, options?: CallOptions): Call<T.IcsDays> {
    return callOf(this.send, { method: "POST", path: "/v1/calendars/read-ics", body, keyed: true, options });
  }

  /**
   * Get a calendar.
   *
   * Callers: all roles; API keys with `read:exceptions`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Calendar> {
    return callOf(this.send, { method: "GET", path: `/v1/calendars/${segment("id", id)}`, options });
  }

  /**
   * Set a calendar.
   *
   * Changed hours make a new version, which new deadlines use. apply_to: open also moves open deadlines that the SLA policy set; events already sent stand. Open reconciliations with this calendar are matched again with the new version, whatever apply_to says: at once with auto_run, otherwise at their next run. With dry_run, nothing changes: the response previews the effect.
   */
  put(id: string, body: T.PutCalendarRequest, options?: CallOptions): Call<T.CalendarChange> {
    return callOf(this.send, { method: "PUT", path: `/v1/calendars/${segment("id", id)}`, body, options });
  }

  /**
   * Get a calendar's special days as ICS.
   *
   * One all-day event for each day. Special hours are in X-TIEOUT-INTERVALS, which an import of the file reads.
   */
  getIcs(id: string, options?: CallOptions): Call<T.CalendarIcs> {
    return callOf(this.send, { method: "GET", path: `/v1/calendars/${segment("id", id)}/ics`, options });
  }

  /**
   * List when a calendar is open.
   *
   * In UTC, over at most 366 days.
   */
  listOpenHours(id: string, query: T.ListOpenHoursQuery, options?: CallOptions): Call<T.OpenHours> {
    return callOf(this.send, { method: "GET", path: `/v1/calendars/${segment("id", id)}/open-hours`, query, options });
  }

  /**
   * List a calendar's versions, newest first.
   *
   * Every change of its hours, and how many open exceptions use each version.
   */
  listVersions(id: string, query?: T.ListCalendarVersionsQuery, options?: CallOptions): List<T.CalendarVersionPage> {
    return listOf(this.send, `/v1/calendars/${segment("id", id)}/versions`, query, options);
  }
}

/** `tieout.closingBoard` */
export class ClosingBoardResource extends Resource {
  /**
   * Get the closing board.
   *
   * All pairs of sources, in the order in which their sources were created, with the periods that end in these months: their state, who signed, when they are due and what is open.
   */
  get(query: T.GetClosingBoardQuery, options?: CallOptions): List<T.BoardPairPage> {
    return listOf(this.send, "/v1/closing-board", query, options);
  }

  /**
   * Open the next periods.
   *
   * For all pairs, or for those named, creates the periods after the newest one, up to the one that begins in `through`: of the same length, named alike, with the same sources and rules. At most 12 for a pair. Pairs that already reach the month don't change, so the call can be repeated. With dry_run, the response shows what it would create.
   */
  openNextPeriods(body: T.OpenNextPeriodsRequest, options?: CallOptions): Call<T.NextPeriods | undefined> {
    return callOf(this.send, { method: "POST", path: "/v1/closing-board/next", body, keyed: true, options });
  }
}

/** `tieout.connections` */
export class ConnectionsResource extends Resource {
  /**
   * List connections, newest first.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListConnectionsQuery, options?: CallOptions): List<T.ConnectionPage> {
    return listOf(this.send, "/v1/connections", query, options);
  }

  /**
   * Connect a source.
   *
   * Fetches the source's files from a server on business days, each once, and imports them with the source's mapping. With kind mail, it creates an address that accepts files by mail. A source has at most one connection.
   */
  create(body: T.CreateConnectionRequest, options?: CallOptions): Call<T.Connection> {
    return callOf(this.send, { method: "POST", path: "/v1/connections", body, keyed: true, options });
  }

  /**
   * Delete a connection.
   *
   * Its credential is destroyed. Imported lines stay.
   */
  delete(id: string, options?: CallOptions): Call<T.DeletedConnection | undefined> {
    return callOf(this.send, { method: "DELETE", path: `/v1/connections/${segment("id", id)}`, options });
  }

  /**
   * Get a connection.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Connection> {
    return callOf(this.send, { method: "GET", path: `/v1/connections/${segment("id", id)}`, options });
  }

  /**
   * Change a connection.
   *
   * A new address or sign-in needs the credential again. Setting host_key resumes a stopped connection.
   */
  update(id: string, body?: T.UpdateConnectionRequest, options?: CallOptions): Call<T.Connection | undefined> {
    return callOf(this.send, { method: "PATCH", path: `/v1/connections/${segment("id", id)}`, body, options });
  }

  /**
   * Fetch now.
   *
   * Checks for files in the background, also outside the schedule, and retries failed and undone ones. The list of files shows the result.
   */
  fetch(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Connection> {
    return callOf(this.send, { method: "POST", path: `/v1/connections/${segment("id", id)}/fetch`, body, keyed: true, options });
  }

  /**
   * List what a connection found, newest first.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  listFiles(id: string, query?: T.ListConnectionFilesQuery, options?: CallOptions): List<T.ConnectionFilePage> {
    return listOf(this.send, `/v1/connections/${segment("id", id)}/files`, query, options);
  }

  /**
   * Test a connection.
   *
   * Signs in, shows the host key and lists files, without fetching or pinning anything.
   */
  test(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.ConnectionTest> {
    return callOf(this.send, { method: "POST", path: `/v1/connections/${segment("id", id)}/test`, body, keyed: true, options });
  }
}

/** `tieout.decisions` */
export class DecisionsResource extends Resource {
  /**
   * Undo a decision.
   *
   * All or nothing: confirmed and rejected matches are suggested again, a manual match is undone, an excluded line is open again. Others' decisions, manual matches and exclusions require the right to write reconciliations.
   */
  undo(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Decision | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/decisions/${segment("id", id)}/undo`, body, keyed: true, options });
  }
}

/** `tieout.entryBatches` */
export class EntryBatchesResource extends Resource {
  /**
   * List entry batches, newest first.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListEntryBatchesQuery, options?: CallOptions): List<T.EntryBatchPage> {
    return listOf(this.send, "/v1/entry-batches", query, options);
  }

  /**
   * Get an entry batch.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.EntryBatch> {
    return callOf(this.send, { method: "GET", path: `/v1/entry-batches/${segment("id", id)}`, options });
  }

  /**
   * List the entries of a batch.
   *
   * Each debits one account and credits another by the same amount, in the order of the batch. Reversals come first.
   */
  listEntries(id: string, query?: T.ListEntriesQuery, options?: CallOptions): List<T.EntryPage> {
    return listOf(this.send, `/v1/entry-batches/${segment("id", id)}/entries`, query, options);
  }

  /**
   * Export the entries of a batch.
   *
   * A row for each entry, with the columns that you choose. Exporting does not mark the batch as exported. The export is recorded as a security event.
   */
  exportEntries(id: string, query?: Omit<T.ExportEntriesQuery, "format"> & Partial<Pick<T.ExportEntriesQuery, "format">>, options?: CallOptions): Export {
    return exportOf(this.send, `/v1/entry-batches/${segment("id", id)}/entries/export`, { ...query, format: query?.format ?? "ndjson", end_mark: true }, options);
  }

  /**
   * Mark a batch as exported.
   *
   * Mark it once the ledger has it. A second call returns 409, so that only one of two programs posts it. With four_eyes, not by someone who worked in the period.
   */
  markExported(id: string, body?: T.MarkEntryBatchExportedRequest, options?: CallOptions): Call<T.EntryBatch | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/entry-batches/${segment("id", id)}/exported`, body, keyed: true, options });
  }

  /**
   * Get a batch as a file for a ledger.
   *
   * In the import layout that the ledger publishes; the guide to entries names the sources. One currency per file. 409 names an entry that the ledger can't accept. Downloading doesn't mark the batch as exported.
   */
  getLedgerFile(id: string, query: T.GetLedgerFileQuery, options?: CallOptions): Export {
    return exportOf(this.send, `/v1/entry-batches/${segment("id", id)}/ledger-file`, query, options);
  }

  /**
   * Push a batch now.
   *
   * Pushes it to the connection in the entry rules. It is exported once its files are written.
   */
  push(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.EntryBatch | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/entry-batches/${segment("id", id)}/push`, body, keyed: true, options });
  }
}

/** `tieout.events` */
export class EventsResource extends Resource {
  /**
   * List events, oldest first.
   *
   * The events of the last 30 days, with the IDs and bodies that webhooks deliver. Send resume_cursor as cursor next time: no event ever appears behind it, and each appears at least once. A cursor works with any filters. With wait, a call without events waits for one. A key gets the types that its scopes allow; naming another type is refused.
   */
  list(query?: T.ListEventsQuery, options?: CallOptions): List<T.ListedEventPage> {
    return listOf(this.send, "/v1/events", query, options);
  }

  /**
   * Send a test event.
   *
   * An event with example data and `"test": true`, for readers that ask for tests. No webhook gets it.
   */
  createTest(body: T.CreateTestEventRequest, options?: CallOptions): Call<T.ListedEvent> {
    return callOf(this.send, { method: "POST", path: "/v1/events", body, keyed: true, options });
  }

  /**
   * Get an event.
   *
   * Callers: all roles; all API keys; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.ListedEvent> {
    return callOf(this.send, { method: "GET", path: `/v1/events/${segment("id", id)}`, options });
  }
}

/** `tieout.evidence` */
export class EvidenceResource extends Resource {
  /**
   * List the evidence of a subject, newest first.
   *
   * A file that was superseded stays in the list, a removed one doesn't.
   */
  list(query: T.ListEvidenceQuery, options?: CallOptions): List<T.EvidencePage> {
    return listOf(this.send, "/v1/evidence", query, options);
  }

  /**
   * Add a file of evidence.
   *
   * The file is the body: PDF, an image (PNG, JPEG, GIF, WebP, TIFF, HEIC), an Excel workbook (.xlsx), CSV, an email (.eml) or plain text, at most 10 MiB. The type is detected from the content; other types, such as HTML and SVG, are refused. The name gets the extension of the type. At most 50 files for one subject. For an exception, a key also needs write:exceptions.
   */
  add(file: FileBody, query: T.AddEvidenceQuery, options?: CallOptions): Call<T.Evidence> {
    return callOf(this.send, { method: "POST", path: "/v1/evidence", file, query, keyed: true, options });
  }

  /**
   * Remove a file of evidence.
   *
   * Its content is deleted; its hash and the reason stay in the audit log. What a signed statement lists can't be removed: add a file that supersedes it. Removing one revokes the signatures of its open period.
   */
  remove(id: string, body: T.RemoveEvidenceRequest, options?: CallOptions): Call<T.Evidence | undefined> {
    return callOf(this.send, { method: "DELETE", path: `/v1/evidence/${segment("id", id)}`, body, options });
  }

  /**
   * Get a file of evidence.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Evidence> {
    return callOf(this.send, { method: "GET", path: `/v1/evidence/${segment("id", id)}`, options });
  }

  /**
   * Download a file of evidence.
   *
   * Byte for byte as it was added, always as a download, never shown as a page.
   */
  getContent(id: string, options?: CallOptions): Export {
    return exportOf(this.send, `/v1/evidence/${segment("id", id)}/content`, undefined, options);
  }
}

/** `tieout.exceptions` */
export class ExceptionsResource extends Resource {
  /**
   * List exceptions, newest first.
   *
   * Callers: all roles; API keys with `read:exceptions`; the service-role key.
   */
  list(query?: T.ListExceptionsQuery, options?: CallOptions): List<T.SlaExceptionPage> {
    return listOf(this.send, "/v1/exceptions", query, options);
  }

  /**
   * Create an exception.
   *
   * Without due_at, the tenant's SLA policy for the severity sets the deadline.
   */
  create(body: T.CreateExceptionRequest, options?: CallOptions): Call<T.SlaException> {
    return callOf(this.send, { method: "POST", path: "/v1/exceptions", body, keyed: true, options });
  }

  /**
   * Change many exceptions at once.
   *
   * Changes, pauses or resumes exceptions. With ids: at most 500, all or none; errors name the index in ids. With a filter: all open ones that match, fewer than 10,000. expected_count is how many you expect; if another number matches, the response is 409. Each call changes at most 500: repeat it with next_cursor as cursor until that is null. Exceptions that can't be changed are skipped and named.
   */
  updateMany(body: T.UpdateExceptionsRequest, options?: CallOptions): Call<T.BulkUpdate | undefined> {
    return callOf(this.send, { method: "POST", path: "/v1/exceptions/bulk", body, keyed: true, options });
  }

  /**
   * Export exceptions, open or closed.
   *
   * Streams everything that matches the filters. The export is recorded as a security event.
   */
  export(query?: Omit<T.ExportExceptionsQuery, "format"> & Partial<Pick<T.ExportExceptionsQuery, "format">>, options?: CallOptions): Export {
    return exportOf(this.send, "/v1/exceptions/export", { ...query, format: query?.format ?? "ndjson", end_mark: true }, options);
  }

  /**
   * Import exceptions from a file.
   *
   * NDJSON, or CSV with a header row. The fields are those of creating one exception, with details as JSON. At most 100,000 rows and 64 MiB. Valid rows are created in batches as they arrive; the others are reported by line and reason. With an idempotency key, an interrupted import can be retried: no row is imported twice.
   */
  import(file: FileBody, options?: CallOptions): Call<T.ImportReport> {
    return callOf(this.send, { method: "POST", path: "/v1/exceptions/import", file, keyed: true, options });
  }

  /**
   * List open exceptions by time to breach.
   *
   * Open and in-review exceptions, with a summary of all of them. breach_risk: breached at 0 minutes or less, high below 60, medium from 60 to 240, low above. The weak ETag holds for at most a minute, while minutes_to_breach goes on.
   */
  listSla(query?: T.ListSlaExceptionsQuery, options?: CallOptions): List<T.SlaList> {
    return listOf(this.send, "/v1/exceptions/sla", query, options);
  }

  /**
   * List what changed in the open exceptions.
   *
   * Keeps a list up to date. Send the list's filters and its as_of as since; follow next_cursor, then pass the first page's as_of next time, with its ETag. Each item has the current exception, or null if your filters no longer match it. Changes of breach_risk over time are included. Items can repeat, so apply them idempotently.
   */
  listSlaChanges(query: T.ListSlaChangesQuery, options?: CallOptions): List<T.SlaChanges> {
    return listOf(this.send, "/v1/exceptions/sla/changes", query, options);
  }

  /**
   * Export open exceptions.
   *
   * Streams everything that matches the filters. The export is recorded as a security event.
   */
  exportSla(query?: Omit<T.ExportSlaExceptionsQuery, "format"> & Partial<Pick<T.ExportSlaExceptionsQuery, "format">>, options?: CallOptions): Export {
    return exportOf(this.send, "/v1/exceptions/sla/export", { ...query, format: query?.format ?? "ndjson", end_mark: true }, options);
  }

  /**
   * Count exceptions by each filter's values.
   *
   * For each filter, how many exceptions have each of its values, among those that match all other filters. Counts the first 20,000; complete says whether that is all. A filter with many values has the 50 most frequent.
   */
  getSlaFacets(query?: T.GetSlaFacetsQuery, options?: CallOptions): Call<T.SlaFacets> {
    return callOf(this.send, { method: "GET", path: "/v1/exceptions/sla/facets", query, options });
  }

  /**
   * Get the SLA report.
   *
   * Counted from the ledger.
   */
  getSlaReport(query: T.GetSlaReportQuery, options?: CallOptions): Call<T.SlaReport> {
    return callOf(this.send, { method: "GET", path: "/v1/exceptions/sla/report", query, options });
  }

  /**
   * Export the SLA report.
   *
   * Streams everything that matches the filters. The export is recorded as a security event.
   */
  exportSlaReport(query: Omit<T.ExportSlaReportQuery, "format"> & Partial<Pick<T.ExportSlaReportQuery, "format">>, options?: CallOptions): Export {
    return exportOf(this.send, "/v1/exceptions/sla/report/export", { ...query, format: query?.format ?? "ndjson", end_mark: true }, options);
  }

  /**
   * Count open exceptions by time to breach.
   *
   * All open exceptions of the tenant. The buckets of a risk add up to its count in the summary.
   */
  getTimeToBreach(options?: CallOptions): Call<T.TimeToBreach> {
    return callOf(this.send, { method: "GET", path: "/v1/exceptions/sla/time-to-breach", options });
  }

  /**
   * Get an exception.
   *
   * Callers: all roles; API keys with `read:exceptions`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.SlaException> {
    return callOf(this.send, { method: "GET", path: `/v1/exceptions/${segment("id", id)}`, options });
  }

  /**
   * Change an exception.
   *
   * A JSON merge patch (RFC 7396). Allowed status changes: between open and in_review; from either to resolved or dismissed, with a resolution; from resolved or dismissed to open. Any other change returns 409.
   */
  update(id: string, body?: T.UpdateExceptionRequest, options?: CallOptions): Call<T.SlaException | undefined> {
    return callOf(this.send, { method: "PATCH", path: `/v1/exceptions/${segment("id", id)}`, body, options });
  }

  /**
   * List an exception's comments, newest first.
   *
   * Callers: all roles; API keys with `read:exceptions`; the service-role key.
   */
  listComments(id: string, query?: T.ListExceptionCommentsQuery, options?: CallOptions): List<T.ExceptionCommentPage> {
    return listOf(this.send, `/v1/exceptions/${segment("id", id)}/comments`, query, options);
  }

  /**
   * Comment on an exception.
   *
   * Closed exceptions can be commented too. Comments can't be changed or deleted. `<@user:leo>` in the body mentions a person; the event exception.commented lists the mentions. At most 1,000 comments on an exception.
   */
  createComment(id: string, body: T.CreateExceptionCommentRequest, options?: CallOptions): Call<T.ExceptionComment> {
    return callOf(this.send, { method: "POST", path: `/v1/exceptions/${segment("id", id)}/comments`, body, keyed: true, options });
  }

  /**
   * List an exception's changes, newest first.
   *
   * Callers: all roles; API keys with `read:exceptions`; the service-role key.
   */
  listHistory(id: string, query?: T.ListExceptionHistoryQuery, options?: CallOptions): List<T.ExceptionChangePage> {
    return listOf(this.send, `/v1/exceptions/${segment("id", id)}/history`, query, options);
  }

  /**
   * Get an exception's SLA timeline.
   *
   * Every change of the clock, in rows that add up, and why the exception breached or didn't.
   */
  getLedger(id: string, options?: CallOptions): Call<T.ExceptionLedger> {
    return callOf(this.send, { method: "GET", path: `/v1/exceptions/${segment("id", id)}/ledger`, options });
  }

  /**
   * Pause an exception's clock.
   *
   * While paused, it counts as on track, is listed last and crosses no threshold; due_at is the deadline it would have if resumed now. Closing it ends the pause. 409 if it is closed, paused or breached, or if the SLA policy allows no more pauses.
   */
  pause(id: string, body: T.PauseExceptionRequest, options?: CallOptions): Call<T.SlaException | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/exceptions/${segment("id", id)}/pause`, body, keyed: true, options });
  }

  /**
   * Resume an exception's clock.
   *
   * It has the time left that it had when paused. Thresholds passed before the pause send no second event.
   */
  resume(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.SlaException | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/exceptions/${segment("id", id)}/resume`, body, keyed: true, options });
  }
}

/** `tieout.firstSteps` */
export class FirstStepsResource extends Resource {
  /**
   * Get onboarding progress: first key, first call, first webhook, first event received.
   *
   * Callers: `tenant_admin`.
   */
  get(options?: CallOptions): Call<T.FirstSteps> {
    return callOf(this.send, { method: "GET", path: "/v1/first-steps", options });
  }

  /**
   * Dismiss or restore the first steps.
   *
   * Only for you: other admins of the tenant still see them.
   */
  put(body: T.PutFirstStepsRequest, options?: CallOptions): Call<T.FirstSteps> {
    return callOf(this.send, { method: "PUT", path: "/v1/first-steps", body, options });
  }
}

/** `tieout.holidays` */
export class HolidaysResource extends Resource {
  /**
   * Propose the holidays of a country.
   *
   * Public and bank holidays of one year, for you to review: nothing is added to a calendar until you send it as special_days. From date-holidays (CC BY 3.0).
   */
  list(query: T.ListHolidaysQuery, options?: CallOptions): Call<T.Holidays> {
    return callOf(this.send, { method: "GET", path: "/v1/holidays", query, options });
  }

  /**
   * List the countries whose holidays are known.
   *
   * Callers: all roles; API keys with `read:exceptions`; the service-role key.
   */
  listCountries(options?: CallOptions): Call<T.HolidayCountries> {
    return callOf(this.send, { method: "GET", path: "/v1/holidays/countries", options });
  }
}

/** `tieout.imports` */
export class ImportsResource extends Resource {
  /**
   * List imports, newest first.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListImportsQuery, options?: CallOptions): List<T.ImportPage> {
    return listOf(this.send, "/v1/imports", query, options);
  }

  /**
   * Get an import.
   *
   * bytes_read and read_count show its progress.
   */
  get(id: string, options?: CallOptions): Call<T.Import> {
    return callOf(this.send, { method: "GET", path: `/v1/imports/${segment("id", id)}`, options });
  }

  /**
   * Undo an import.
   *
   * Removes its lines and undoes their matches; with more than 20,000 lines in the background, with the status undoing. Cancels an import that is queued or being read. Refused if a closed or archived period matched, excluded or carried forward one of its lines.
   */
  undo(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Import | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/imports/${segment("id", id)}/undo`, body, keyed: true, options });
  }

  /**
   * Import a file and wait until its lines are stored.
   *
   * @throws TieoutError `failed`
   */
  async createAndWait(id: string, file: FileBody, query?: Omit<T.CreateImportQuery, "preview">, options?: WaitOptions<T.Import>): Promise<T.Import> {
    return waitFor(this.send, { method: "POST", path: `/v1/sources/${segment("id", id)}/imports`, file, query, keyed: true, options }, (started) => `/v1/imports/${segment("id", started.id)}`);
  }
}

/** `tieout.integrations` */
export class IntegrationsResource extends Resource {
  /**
   * List integrations, newest first.
   *
   * Callers: all roles; API keys with `read:integrations`; the service-role key.
   */
  list(query?: T.ListIntegrationsQuery, options?: CallOptions): List<T.IntegrationPage> {
    return listOf(this.send, "/v1/integrations", query, options);
  }

  /**
   * Create an integration.
   *
   * Any JSON object, up to 64 kB. Other fields are stored as sent.
   */
  create(body?: T.CreateIntegrationRequest, options?: CallOptions): Call<T.Integration> {
    return callOf(this.send, { method: "POST", path: "/v1/integrations", body, keyed: true, options });
  }

  /**
   * Delete an integration.
   *
   * A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
   */
  delete(id: string, options?: CallOptions): Call<T.Integration | undefined> {
    return callOf(this.send, { method: "DELETE", path: `/v1/integrations/${segment("id", id)}`, options });
  }

  /**
   * Get an integration.
   *
   * Callers: all roles; API keys with `read:integrations`; the service-role key.
   */
  get(id: string, query?: T.GetIntegrationQuery, options?: CallOptions): Call<T.Integration> {
    return callOf(this.send, { method: "GET", path: `/v1/integrations/${segment("id", id)}`, query, options });
  }

  /**
   * Change an integration.
   *
   * A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
   */
  update(id: string, body?: T.UpdateIntegrationRequest, options?: CallOptions): Call<T.Integration | undefined> {
    return callOf(this.send, { method: "PATCH", path: `/v1/integrations/${segment("id", id)}`, body, options });
  }

  /**
   * Restore a deleted integration.
   *
   * Restoring a record that isn't deleted returns it unchanged.
   */
  restore(id: string, body?: T.IdempotentRecordRequest, options?: CallOptions): Call<T.Integration> {
    return callOf(this.send, { method: "POST", path: `/v1/integrations/${segment("id", id)}/restore`, body, keyed: true, options });
  }
}

/** `tieout.invitations` */
export class InvitationsResource extends Resource {
  /**
   * List invitations, newest first.
   *
   * Callers: `tenant_admin`.
   */
  list(id: string, query?: T.ListInvitationsQuery, options?: CallOptions): List<T.InvitationPage> {
    return listOf(this.send, `/v1/tenants/${segment("id", id)}/invitations`, query, options);
  }

  /**
   * Invite someone by email.
   *
   * Mails a link that works once, for seven days. To accept it, a person sets a password or signs in. Only the mail has the link, and the response is the same whether or not the address has an account. A tenant can send 100 invitations an hour; 5 an hour and 10 a day to one address.
   */
  create(id: string, body: T.CreateInvitationRequest, options?: CallOptions): Call<T.Invitation> {
    return callOf(this.send, { method: "POST", path: `/v1/tenants/${segment("id", id)}/invitations`, body, keyed: true, options });
  }

  /**
   * Revoke an invitation.
   *
   * Its link stops working at once. Revoking it again returns it unchanged.
   */
  revoke(id: string, invitationId: string, options?: CallOptions): Call<T.Invitation> {
    return callOf(this.send, { method: "DELETE", path: `/v1/tenants/${segment("id", id)}/invitations/${segment("invitationId", invitationId)}`, options });
  }

  /**
   * Get an invitation.
   *
   * Callers: `tenant_admin`.
   */
  get(id: string, invitationId: string, options?: CallOptions): Call<T.Invitation> {
    return callOf(this.send, { method: "GET", path: `/v1/tenants/${segment("id", id)}/invitations/${segment("invitationId", invitationId)}`, options });
  }

  /**
   * Send an invitation again.
   *
   * With a new link, valid for seven days; the previous one stops working. At most once a minute, 5 times an hour and 10 times a day.
   */
  resend(id: string, invitationId: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Invitation> {
    return callOf(this.send, { method: "POST", path: `/v1/tenants/${segment("id", id)}/invitations/${segment("invitationId", invitationId)}/resend`, body, keyed: true, options });
  }
}

/** `tieout.lines` */
export class LinesResource extends Resource {
  /**
   * List lines, latest value date first.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListLinesQuery, options?: CallOptions): List<T.LinePage> {
    return listOf(this.send, "/v1/lines", query, options);
  }

  /**
   * Get a line.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Line> {
    return callOf(this.send, { method: "GET", path: `/v1/lines/${segment("id", id)}`, options });
  }

  /**
   * Exclude a line from matching.
   *
   * Excludes its open amount with this reason, in the earliest open period that includes the line's day.
   */
  exclude(id: string, body: T.ExcludeLineRequest, options?: CallOptions): Call<T.Line | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/lines/${segment("id", id)}/exclude`, body, keyed: true, options });
  }

  /**
   * List a line's history.
   *
   * The latest 200 changes, oldest first: its arrival, matches created and undone, exclusions and exceptions, each with who did it.
   */
  listHistory(id: string, options?: CallOptions): Call<T.LineHistory> {
    return callOf(this.send, { method: "GET", path: `/v1/lines/${segment("id", id)}/history`, options });
  }

  /**
   * Include an excluded line again.
   *
   * Opens it again in the period that it was excluded from.
   */
  include(id: string, body: T.IncludeLineRequest, options?: CallOptions): Call<T.Line | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/lines/${segment("id", id)}/include`, body, keyed: true, options });
  }

  /**
   * Suggest counterparts for a line.
   *
   * Up to five open lines or groups of the other side, the most probable first, each with an explanation. Empty if the line isn't open.
   */
  listSuggestions(id: string, query?: T.ListLineSuggestionsQuery, options?: CallOptions): Call<T.LineSuggestions> {
    return callOf(this.send, { method: "GET", path: `/v1/lines/${segment("id", id)}/suggestions`, query, options });
  }
}

/** `tieout.matches` */
export class MatchesResource extends Resource {
  /**
   * Confirm, reject or undo many matches.
   *
   * All or none: at most 500 ids, or a filter with the number of matches that you expect, at most 5,000. It is one decision and is undone as one. Decisions by filter don't count towards automatic matching (earned). Undoing requires the right to write reconciliations.
   */
  decide(body: T.DecideMatchesRequest, options?: CallOptions): Call<T.MatchDecisions | undefined> {
    return callOf(this.send, { method: "POST", path: "/v1/matches/bulk", body, keyed: true, options });
  }

  /**
   * Get a match.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Match> {
    return callOf(this.send, { method: "GET", path: `/v1/matches/${segment("id", id)}`, options });
  }

  /**
   * Confirm a suggested match.
   *
   * Its lines are matched, and other suggestions with one of them are removed. Later runs learn from it and don't change it.
   */
  confirm(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Match | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/matches/${segment("id", id)}/confirm`, body, keyed: true, options });
  }

  /**
   * Reject a suggested match.
   *
   * These lines aren't suggested together again.
   */
  reject(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Match | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/matches/${segment("id", id)}/reject`, body, keyed: true, options });
  }

  /**
   * Undo a match.
   *
   * Its lines are open again, and exceptions that it resolved are reopened. No run repeats it.
   */
  undo(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Match | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/matches/${segment("id", id)}/undo`, body, keyed: true, options });
  }
}

/** `tieout.me` */
export class MeResource extends Resource {
  /**
   * Get the caller and its tenant.
   *
   * Callers: any user of the tenant; all API keys; the publishable key; the service-role key.
   */
  get(options?: CallOptions): Call<T.Me> {
    return callOf(this.send, { method: "GET", path: "/v1/me", options });
  }

  /**
   * Get your notification settings.
   *
   * Callers: all roles.
   */
  getNotificationSettings(options?: CallOptions): Call<T.NotificationSettings> {
    return callOf(this.send, { method: "GET", path: "/v1/me/notifications", options });
  }

  /**
   * Change your notification settings.
   *
   * Your own settings in this tenant. Alerts of one kind are mailed at most once a minute.
   */
  putNotificationSettings(body: T.PutNotificationSettingsRequest, options?: CallOptions): Call<T.NotificationSettings> {
    return callOf(this.send, { method: "PUT", path: "/v1/me/notifications", body, options });
  }

  /**
   * List your sessions.
   *
   * Your own active dashboard sessions, newest first, whichever tenant you name.
   */
  listSessions(query?: T.ListSessionsQuery, options?: CallOptions): List<T.UserSessionPage> {
    return listOf(this.send, "/v1/me/sessions", query, options);
  }

  /**
   * Sign out of all or some sessions.
   *
   * Ends all your dashboard sessions, including the one making this call, or only those in ids. Their cookies are refused within SESSION_CHECK_SECONDS (60).
   */
  endSessions(body?: T.EndSessionsRequest, options?: CallOptions): Call<T.EndedSessions> {
    return callOf(this.send, { method: "POST", path: "/v1/me/sessions/end", body, keyed: true, options });
  }
}

/** `tieout.members` */
export class MembersResource extends Resource {
  /**
   * List possible assignees.
   *
   * Sorted by name: the tenant's members in Supabase Auth and everyone with an assigned exception. Users of another identity provider appear after their first assignment; assigned_to accepts any user:<name>.
   */
  list(query?: T.ListMembersQuery, options?: CallOptions): List<T.MemberPage> {
    return listOf(this.send, "/v1/members", query, options);
  }
}

/** `tieout.overview` */
export class OverviewResource extends Resource {
  /**
   * Get the overview of a tenant: deadlines, money, imports, keys and webhooks.
   *
   * What the dashboard's home page shows. Sums come from counters, so it is just as fast with a million exceptions.
   */
  get(options?: CallOptions): Call<T.Overview> {
    return callOf(this.send, { method: "GET", path: "/v1/overview", options });
  }
}

/** `tieout.reconciliations` */
export class ReconciliationsResource extends Resource {
  /**
   * List reconciliations, newest first.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListReconciliationsQuery, options?: CallOptions): List<T.ReconciliationPage> {
    return listOf(this.send, "/v1/reconciliations", query, options);
  }

  /**
   * Create a reconciliation.
   *
   * With left_source_id and right_source_id, it compares the lines of these sources: matched_count and unmatched_count are computed, and setting them returns a conflict. Periods of one pair of sources can't overlap. The first of a pair is preparing for about half a minute per million existing lines. Without sources, you send the counts.
   */
  create(body: T.CreateReconciliationRequest, options?: CallOptions): Call<T.Reconciliation> {
    return callOf(this.send, { method: "POST", path: "/v1/reconciliations", body, keyed: true, options });
  }

  /**
   * Get a reconciliation.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Reconciliation> {
    return callOf(this.send, { method: "GET", path: `/v1/reconciliations/${segment("id", id)}`, options });
  }

  /**
   * Change a reconciliation.
   *
   * Allowed status changes: between open and in_progress; between in_progress and completed; from any status to archived, which is final. With sources, closing completes it, and its name, dates and sources can't be changed afterwards.
   */
  update(id: string, body?: T.UpdateReconciliationRequest, options?: CallOptions): Call<T.Reconciliation | undefined> {
    return callOf(this.send, { method: "PATCH", path: `/v1/reconciliations/${segment("id", id)}`, body, options });
  }

  /**
   * Get the checklist before a close.
   *
   * Computed now, for the caller. Items that block prevent signing and closing; `checks` in the pair's rules sets which ones do.
   */
  getChecklist(id: string, options?: CallOptions): Call<T.PeriodChecklist> {
    return callOf(this.send, { method: "GET", path: `/v1/reconciliations/${segment("id", id)}/checklist`, options });
  }

  /**
   * Close a period.
   *
   * Requires that all lines are added (preparing is false), the proof holds, the statement has no difference, and earlier periods are closed; with four_eyes, a person who didn't work in this period. Lines that arrive during the close belong to the next period. Unconfirmed suggestions and open exceptions move with their lines to the next open period, or to the next one that is created. Afterwards nothing in the period changes.
   *
   * If its sources have more than 20,000 lines, the call returns at once with closing true. Poll until it is false: then the period is closed, or closing_failure says why not. The event reconciliation.closed follows the close. After a failure, close it again with a new Idempotency-Key. Only people close and reopen, never API keys.
   */
  close(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Reconciliation> {
    return callOf(this.send, { method: "POST", path: `/v1/reconciliations/${segment("id", id)}/close`, body, keyed: true, options });
  }

  /**
   * Close a period and wait until it is closed.
   *
   * @throws TieoutError `failed`
   */
  async closeAndWait(id: string, options?: WaitOptions<T.Reconciliation>): Promise<T.Reconciliation> {
    return waitFor(this.send, { method: "POST", path: `/v1/reconciliations/${segment("id", id)}/close`, keyed: true, options }, () => `/v1/reconciliations/${segment("id", id)}`);
  }

  /**
   * List decisions in a period, newest first.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  listDecisions(id: string, query?: T.ListDecisionsQuery, options?: CallOptions): List<T.DecisionPage> {
    return listOf(this.send, `/v1/reconciliations/${segment("id", id)}/decisions`, query, options);
  }

  /**
   * Preview the entries of a period.
   *
   * What an open period would post if it closed now, and a closed one if it closed again with nothing posted before. Without rules, it uses the pair's. Nothing is saved.
   */
  previewEntries(id: string, body?: T.PreviewEntriesRequest, options?: CallOptions): Call<T.EntryPreview> {
    return callOf(this.send, { method: "POST", path: `/v1/reconciliations/${segment("id", id)}/entries/preview`, body, keyed: true, options });
  }

  /**
   * Get the entry rules of a period's sources.
   *
   * They belong to the pair of sources. A close uses the newest version.
   */
  getEntryRules(id: string, options?: CallOptions): Call<T.EntryRuleSet> {
    return callOf(this.send, { method: "GET", path: `/v1/reconciliations/${segment("id", id)}/entry-rules`, options });
  }

  /**
   * Set the entry rules of a period's sources.
   *
   * Creates a new version for future closes. Without ledger, its settings stay. Existing batches don't change; a reopened period uses the newest version at its next close.
   */
  putEntryRules(id: string, body: T.PutEntryRulesRequest, options?: CallOptions): Call<T.EntryRuleSet | undefined> {
    return callOf(this.send, { method: "PUT", path: `/v1/reconciliations/${segment("id", id)}/entry-rules`, body, options });
  }

  /**
   * List a period's matches, newest first.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  listMatches(id: string, query?: T.ListMatchesQuery, options?: CallOptions): List<T.MatchPage> {
    return listOf(this.send, `/v1/reconciliations/${segment("id", id)}/matches`, query, options);
  }

  /**
   * Match lines manually.
   *
   * Matches the whole open amount of these lines. Adjustments must explain left − right to the minor unit, unless the lines' own fees explain it: those become one adjustment. Lines of one side must cancel each other out. An API key can't write off, and can adjust only within the tolerance of the rules. The lines of a side can add up to at most 2^53 − 1 in minor units.
   */
  createMatch(id: string, body: T.CreateMatchRequest, options?: CallOptions): Call<T.Match> {
    return callOf(this.send, { method: "POST", path: `/v1/reconciliations/${segment("id", id)}/matches`, body, keyed: true, options });
  }

  /**
   * Export a period's matches.
   *
   * Streams everything that matches the filters, newest first, with one row for each line of a match. `amount` is the matched part of the line; it and `residual` are in major units. The export is recorded as a security event.
   */
  exportMatches(id: string, query?: Omit<T.ExportMatchesQuery, "format"> & Partial<Pick<T.ExportMatchesQuery, "format">>, options?: CallOptions): Export {
    return exportOf(this.send, `/v1/reconciliations/${segment("id", id)}/matches/export`, { ...query, format: query?.format ?? "ndjson", end_mark: true }, options);
  }

  /**
   * List a period's open lines.
   *
   * Lines to work through, oldest or largest first, each with its best suggestion. Empty once the period is closed.
   */
  listOpenLines(id: string, query?: T.ListOpenLinesQuery, options?: CallOptions): List<T.OpenLinePage> {
    return listOf(this.send, `/v1/reconciliations/${segment("id", id)}/open-lines`, query, options);
  }

  /**
   * Sign a period as prepared.
   *
   * Signs that its work is done. A new line, match, undo, exclusion or changed balance revokes the signature; `sign_off` then says why. Only people prepare, never API keys.
   */
  prepare(id: string, body?: T.PrepareReconciliationRequest, options?: CallOptions): Call<T.Reconciliation> {
    return callOf(this.send, { method: "POST", path: `/v1/reconciliations/${segment("id", id)}/prepare`, body, keyed: true, options });
  }

  /**
   * Get the proof that no cent is missing.
   *
   * Per currency and side in minor units, summed from the lines themselves, with the signs of the statement. For a closed period as of its close, with `closing` saying whether it is still the same.
   */
  getProof(id: string, options?: CallOptions): Call<T.PeriodProof> {
    return callOf(this.send, { method: "GET", path: `/v1/reconciliations/${segment("id", id)}/proof`, options });
  }

  /**
   * Reopen a closed period.
   *
   * Later periods must be open. Its matches and signed statement are kept, and the next close signs another one. Suggestions and exceptions of its lines that nobody decided since the close return. Only people close and reopen, never API keys.
   */
  reopen(id: string, body: T.ReopenReconciliationRequest, options?: CallOptions): Call<T.Reconciliation> {
    return callOf(this.send, { method: "POST", path: `/v1/reconciliations/${segment("id", id)}/reopen`, body, keyed: true, options });
  }

  /**
   * Send a signed period back.
   *
   * Revokes its signatures, which are kept with the reason.
   */
  return(id: string, body: T.ReturnReconciliationRequest, options?: CallOptions): Call<T.Reconciliation> {
    return callOf(this.send, { method: "POST", path: `/v1/reconciliations/${segment("id", id)}/return`, body, keyed: true, options });
  }

  /**
   * Sign a prepared period as reviewed.
   *
   * At each level, someone other than the preparer and the earlier reviewers, by the issuer and subject of their tokens. `review_levels` in the pair's rules sets how many levels a close needs.
   */
  review(id: string, body?: T.ReviewReconciliationRequest, options?: CallOptions): Call<T.Reconciliation> {
    return callOf(this.send, { method: "POST", path: `/v1/reconciliations/${segment("id", id)}/review`, body, keyed: true, options });
  }

  /**
   * Get the rules of a period's sources.
   *
   * They belong to the pair of sources. All its open periods use the newest version.
   */
  getRules(id: string, options?: CallOptions): Call<T.RuleSet> {
    return callOf(this.send, { method: "GET", path: `/v1/reconciliations/${segment("id", id)}/rules`, options });
  }

  /**
   * Set the rules of a period's sources.
   *
   * Creates a new version and runs open periods again with it. Omitted fields, other than rules, keep their values. With dry_run nothing is saved: the run's impact shows what would newly match, no longer match and change. reset_learning discards what was learned, forget_names only single names.
   */
  putRules(id: string, body: T.PutRulesRequest, options?: CallOptions): Call<T.RuleSetChange | undefined> {
    return callOf(this.send, { method: "PUT", path: `/v1/reconciliations/${segment("id", id)}/rules`, body, options });
  }

  /**
   * List a period's runs, newest first.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  listRuns(id: string, query?: T.ListRunsQuery, options?: CallOptions): List<T.RunPage> {
    return listOf(this.send, `/v1/reconciliations/${segment("id", id)}/runs`, query, options);
  }

  /**
   * Run the rules.
   *
   * Runs of one pair of sources take turns, and wait while the reconciliation is preparing. If a run of this period is already waiting, it is returned. If nothing has changed since the last run, it ends at once with the same result. With dry_run nothing is saved: the run's impact shows what it would change, with other rules if you send them. A dry run of a closed period uses the lines that the period had.
   */
  createRun(id: string, body?: T.CreateRunRequest, options?: CallOptions): Call<T.Run> {
    return callOf(this.send, { method: "POST", path: `/v1/reconciliations/${segment("id", id)}/runs`, body, keyed: true, options });
  }

  /**
   * Get the reconciliation statement.
   *
   * Balances of both sides, outstanding items by age, adjustments, residuals, exclusions, and the difference. The sums in `balances` and `differences` include all periods up to this one; the items are this period's. For a closed period as of its close. While the reconciliation is preparing, missing lines are part of the difference.
   *
   * A line's amount is as posted, negated if its source is `inverted`. An amount of both sides (an adjustment, a residual, a difference) is left − right: positive if the left side is larger.
   */
  getStatement(id: string, options?: CallOptions): Call<T.ReconciliationStatement> {
    return callOf(this.send, { method: "GET", path: `/v1/reconciliations/${segment("id", id)}/statement`, options });
  }

  /**
   * Export a statement.
   *
   * The whole statement as one table; for a closed period it never changes. `kind` is the kind of row: `balance` (`item` names the sum), `outstanding` (`item` is receipt or payment), `adjustment` (`item` is its kind), `residual`, `exclusion`, and with `matches` also `match`, a row for each line of a match (`item` is the rule, or manual). `amount` is in major units and `amount_minor` in minor units; without a side they are left − right.
   *
   * A workbook (`xlsx`) has a sheet per kind, with amounts in major units. Amounts of more than 15 digits, which a spreadsheet would round, are text. The export is recorded as a security event.
   */
  exportStatement(id: string, query?: Omit<T.ExportStatementQuery, "format"> & Partial<Pick<T.ExportStatementQuery, "format">>, options?: CallOptions): Export {
    return exportOf(this.send, `/v1/reconciliations/${segment("id", id)}/statement/export`, { ...query, format: query?.format ?? "ndjson", end_mark: true }, options);
  }

  /**
   * Get the statement as a PDF.
   *
   * For people: both sources, the signatures, the reconciliation of balances, outstanding items by age and by line, adjustments, residuals and exclusions, with the digest on each page. An open period's is marked as not closed.
   */
  getStatementPdf(id: string, options?: CallOptions): Export {
    return exportOf(this.send, `/v1/reconciliations/${segment("id", id)}/statement/pdf`, undefined, options);
  }

  /**
   * List a period's signed statements, newest first.
   *
   * Each close signs one, with the next number. Reopening the period keeps it and says who reopened it, when and why.
   */
  listSignedStatements(id: string, query?: T.ListSignedStatementsQuery, options?: CallOptions): List<T.StatementSignaturePage> {
    return listOf(this.send, `/v1/reconciliations/${segment("id", id)}/statements`, query, options);
  }

  /**
   * Get a signed statement.
   *
   * The statement as of this close.
   */
  getSignedStatement(id: string, number: number, options?: CallOptions): Call<T.SignedStatement> {
    return callOf(this.send, { method: "GET", path: `/v1/reconciliations/${segment("id", id)}/statements/${segment("number", number)}`, options });
  }

  /**
   * Get a signed statement with all that proves it.
   *
   * A zip of the statement, its matches, members, exclusions and carried lines, the hashes of its evidence, its entries for the ledger, the signatures, the rules and engine versions, and a verifier. For who may read the audit log, the slice of it that covers the close, with its signed checkpoint. `node verify.mjs bundle.zip` checks it offline, on Node 20 or newer, without anything installed: that lines are matched, excluded or open to the cent, and that digest, chain and signature agree.
   */
  getStatementBundle(id: string, number: number, options?: CallOptions): Export {
    return exportOf(this.send, `/v1/reconciliations/${segment("id", id)}/statements/${segment("number", number)}/bundle`, undefined, options);
  }

  /**
   * Group a period's suggestions by rule and score.
   *
   * The most probable first, each with its amounts and with past decisions: confirmed ÷ (confirmed + rejected) is the band's measured precision. Bulk decisions aren't counted.
   */
  listSuggestionBands(id: string, options?: CallOptions): Call<T.SuggestionBands> {
    return callOf(this.send, { method: "GET", path: `/v1/reconciliations/${segment("id", id)}/suggestion-bands`, options });
  }

  /**
   * Sample the suggestions of a band.
   *
   * At most 20, evenly spread from the least to the most probable. Confirm the band with POST /v1/matches/bulk, the same filter and this count.
   */
  sampleSuggestions(id: string, query: T.SampleSuggestionsQuery, options?: CallOptions): Call<T.SuggestionSample> {
    return callOf(this.send, { method: "GET", path: `/v1/reconciliations/${segment("id", id)}/suggestion-sample`, query, options });
  }
}

/** `tieout.releaseNotes` */
export class ReleaseNotesResource extends Resource {
  /**
   * List release notes, newest first.
   *
   * Callers: all roles; API keys with `read:release-notes`; the publishable key; the service-role key.
   */
  list(query?: T.ListReleaseNotesQuery, options?: CallOptions): List<T.ReleaseNotePage> {
    return listOf(this.send, "/v1/release-notes", query, options);
  }

  /**
   * Create a release note.
   *
   * Any JSON object, up to 64 kB. Other fields are stored as sent.
   */
  create(body?: T.CreateReleaseNoteRequest, options?: CallOptions): Call<T.ReleaseNote> {
    return callOf(this.send, { method: "POST", path: "/v1/release-notes", body, keyed: true, options });
  }

  /**
   * Delete a release note.
   *
   * A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
   */
  delete(id: string, options?: CallOptions): Call<T.ReleaseNote | undefined> {
    return callOf(this.send, { method: "DELETE", path: `/v1/release-notes/${segment("id", id)}`, options });
  }

  /**
   * Get a release note.
   *
   * Callers: all roles; API keys with `read:release-notes`; the publishable key; the service-role key.
   */
  get(id: string, query?: T.GetReleaseNoteQuery, options?: CallOptions): Call<T.ReleaseNote> {
    return callOf(this.send, { method: "GET", path: `/v1/release-notes/${segment("id", id)}`, query, options });
  }

  /**
   * Change a release note.
   *
   * A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
   */
  update(id: string, body?: T.UpdateReleaseNoteRequest, options?: CallOptions): Call<T.ReleaseNote | undefined> {
    return callOf(this.send, { method: "PATCH", path: `/v1/release-notes/${segment("id", id)}`, body, options });
  }

  /**
   * Restore a deleted release note.
   *
   * Restoring a record that isn't deleted returns it unchanged.
   */
  restore(id: string, body?: T.IdempotentRecordRequest, options?: CallOptions): Call<T.ReleaseNote> {
    return callOf(this.send, { method: "POST", path: `/v1/release-notes/${segment("id", id)}/restore`, body, keyed: true, options });
  }
}

/** `tieout.requests` */
export class RequestsResource extends Resource {
  /**
   * List requests, newest first.
   *
   * Each API call, from about a second after its response, for 14 days. The dashboard's reads are logged only if they fail. Calls with a wrong secret are logged for the tenant whose API key they name.
   */
  list(query?: T.ListRequestsQuery, options?: CallOptions): List<T.LoggedRequestPage> {
    return listOf(this.send, "/v1/requests", query, options);
  }

  /**
   * Count requests over time.
   *
   * With response times. By default the last 24 hours.
   */
  getStats(query?: T.GetRequestStatsQuery, options?: CallOptions): Call<T.RequestStats> {
    return callOf(this.send, { method: "GET", path: "/v1/requests/stats", query, options });
  }

  /**
   * Get a request with its headers and bodies.
   *
   * Credentials, secrets and idempotency keys are replaced by [redacted].
   */
  get(id: string, options?: CallOptions): Call<T.LoggedRequestDetail> {
    return callOf(this.send, { method: "GET", path: `/v1/requests/${segment("id", id)}`, options });
  }
}

/** `tieout.runs` */
export class RunsResource extends Resource {
  /**
   * Run the rules of a reconciliation and wait for the result.
   *
   * @throws TieoutError `failed`
   */
  async createAndWait(id: string, body?: T.CreateRunRequest, options?: WaitOptions<T.Run>): Promise<T.Run> {
    return waitFor(this.send, { method: "POST", path: `/v1/reconciliations/${segment("id", id)}/runs`, body, keyed: true, options }, (started) => `/v1/runs/${segment("id", started.id)}`);
  }

  /**
   * Get a run.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Run> {
    return callOf(this.send, { method: "GET", path: `/v1/runs/${segment("id", id)}`, options });
  }
}

/** `tieout.sandbox` */
export class SandboxResource extends Resource {
  /**
   * Create the tenant's sandbox.
   *
   * A tenant for testing. Its data and API keys (tks_test_…) are separate; its people are this tenant's. It sends no mail. If it already exists, it is returned.
   */
  create(body?: T.IdempotentRequest, options?: CallOptions): Call<T.Sandbox> {
    return callOf(this.send, { method: "POST", path: "/v1/sandbox", body, keyed: true, options });
  }

  /**
   * Reset a sandbox.
   *
   * Empties the sandbox in X-Tenant-Id, except API keys, webhooks, alert channels and logs. Refused for a live tenant.
   */
  reset(body?: T.ResetSandboxRequest, options?: CallOptions): Call<T.Sandbox> {
    return callOf(this.send, { method: "POST", path: "/v1/sandbox/reset", body, keyed: true, options });
  }
}

/** `tieout.securityEvents` */
export class SecurityEventsResource extends Resource {
  /**
   * List security events, newest first.
   *
   * Callers: `tenant_admin` or `tenant_auditor`; API keys with `read:security-events`; the service-role key.
   */
  list(query?: T.ListSecurityEventsQuery, options?: CallOptions): List<T.SecurityEventPage> {
    return listOf(this.send, "/v1/security-events", query, options);
  }

  /**
   * Export security events.
   *
   * Streams everything that matches the filters. The export is recorded as a security event.
   */
  export(query?: Omit<T.ExportSecurityEventsQuery, "format"> & Partial<Pick<T.ExportSecurityEventsQuery, "format">>, options?: CallOptions): Export {
    return exportOf(this.send, "/v1/security-events/export", { ...query, format: query?.format ?? "ndjson", end_mark: true }, options);
  }

  /**
   * Verify the audit log.
   *
   * Checks every event in the tenant's audit log against its signed states and returns the first one that fails.
   */
  verify(options?: CallOptions): Call<T.ChainVerification> {
    return callOf(this.send, { method: "GET", path: "/v1/security-events/verify", options });
  }

  /**
   * Get a security event.
   *
   * Callers: `tenant_admin` or `tenant_auditor`; API keys with `read:security-events`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.SecurityEvent> {
    return callOf(this.send, { method: "GET", path: `/v1/security-events/${segment("id", id)}`, options });
  }
}

/** `tieout.slaPolicy` */
export class SlaPolicyResource extends Resource {
  /**
   * Get the tenant's SLA policy.
   *
   * Callers: all roles; the service-role key.
   */
  get(options?: CallOptions): Call<T.SlaPolicy> {
    return callOf(this.send, { method: "GET", path: "/v1/sla-policy", options });
  }

  /**
   * Set the tenant's SLA policy.
   *
   * With dry_run, nothing changes: the response previews the effect. New thresholds apply to upcoming deadlines. Deadlines already passed send no further events. Send the ETag you read in If-Match to avoid overwriting someone else's change.
   */
  put(body: T.PutSlaPolicyRequest, options?: CallOptions): Call<T.SlaPolicyChange> {
    return callOf(this.send, { method: "PUT", path: "/v1/sla-policy", body, options });
  }
}

/** `tieout.sources` */
export class SourcesResource extends Resource {
  /**
   * List sources, newest first.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  list(query?: T.ListSourcesQuery, options?: CallOptions): List<T.SourcePage> {
    return listOf(this.send, "/v1/sources", query, options);
  }

  /**
   * Create a source.
   *
   * Where lines come from: a bank account's statements, a ledger account, a processor's payouts.
   */
  create(body: T.CreateSourceRequest, options?: CallOptions): Call<T.Source> {
    return callOf(this.send, { method: "POST", path: "/v1/sources", body, keyed: true, options });
  }

  /**
   * Get a source.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Source> {
    return callOf(this.send, { method: "GET", path: `/v1/sources/${segment("id", id)}`, options });
  }

  /**
   * Change a source.
   *
   * The mapping is replaced as a whole. Currency and sign can't change once the source has lines or is importing some.
   */
  update(id: string, body?: T.UpdateSourceRequest, options?: CallOptions): Call<T.Source | undefined> {
    return callOf(this.send, { method: "PATCH", path: `/v1/sources/${segment("id", id)}`, body, options });
  }

  /**
   * List the balances of a source, newest first.
   *
   * The statements in its files, with their opening and closing balances, and balances that were recorded individually. Periods are reconciled against them.
   */
  listBalances(id: string, query?: T.ListSourceBalancesQuery, options?: CallOptions): List<T.SourceBalancePage> {
    return listOf(this.send, `/v1/sources/${segment("id", id)}/balances`, query, options);
  }

  /**
   * Record a balance of a source.
   *
   * For a source whose files have no balances, such as a ledger. The newest balance of a day counts.
   */
  stateBalance(id: string, body: T.StateSourceBalanceRequest, options?: CallOptions): Call<T.SourceBalance> {
    return callOf(this.send, { method: "POST", path: `/v1/sources/${segment("id", id)}/balances`, body, keyed: true, options });
  }

  /**
   * Remove a recorded balance.
   *
   * A balance from a file is removed by undoing the import.
   */
  removeBalance(id: string, balanceId: string, options?: CallOptions): Call<T.SourceBalance | undefined> {
    return callOf(this.send, { method: "DELETE", path: `/v1/sources/${segment("id", id)}/balances/${segment("balanceId", balanceId)}`, options });
  }

  /**
   * Get a balance of a source.
   *
   * Callers: all roles; API keys with `read:reconciliations`; the service-role key.
   */
  getBalance(id: string, balanceId: string, options?: CallOptions): Call<T.SourceBalance> {
    return callOf(this.send, { method: "GET", path: `/v1/sources/${segment("id", id)}/balances/${segment("balanceId", balanceId)}`, options });
  }

  /**
   * Import a file of lines.
   *
   * The file is the body: CSV, an Excel workbook (.xlsx, up to 32 MiB), NDJSON, JSON, camt.052, 053 or 054, MT940 or MT942, BAI2, OFX; also compressed with gzip, or alone in a zip. The format is detected; a workbook's sheet is read as CSV. It is read in the background and saved completely or not at all. Lines that were imported before count as duplicates, so repeated files and overlapping statements do no harm. At most 1 GiB and 5 million lines. With preview=true nothing is saved: the response shows what the import would do.
   */
  createImport(id: string, file: FileBody, query?: T.CreateImportQuery, options?: CallOptions): Call<T.ImportPreview | T.Import> {
    return callOf(this.send, { method: "POST", path: `/v1/sources/${segment("id", id)}/imports`, file, query, keyed: true, options });
  }

  /**
   * Add lines to a source.
   *
   * Existing lines are duplicates and change nothing. They are recognised by external_id, or by content and position among equal lines of the call. One invalid line rejects the whole call.
   */
  addLines(id: string, body: T.AddLinesRequest, options?: CallOptions): Call<T.AddedLines> {
    return callOf(this.send, { method: "POST", path: `/v1/sources/${segment("id", id)}/lines`, body, keyed: true, options });
  }
}

/** `tieout.tenantMembers` */
export class TenantMembersResource extends Resource {
  /**
   * List a tenant's members.
   *
   * The tenant's accounts in Supabase Auth, sorted by email address. People who sign in with another identity provider aren't listed here.
   */
  list(id: string, query?: T.ListTenantMembersQuery, options?: CallOptions): List<T.TenantMemberPage> {
    return listOf(this.send, `/v1/tenants/${segment("id", id)}/members`, query, options);
  }

  /**
   * Remove a member.
   *
   * Ends their access to the tenant, and their sessions if they have no other tenant: at once in the process that served the call, within SESSION_CHECK_SECONDS (60) in all others, for cookies and tokens. The account itself stays. The last admin can't be removed.
   */
  remove(id: string, memberId: string, body?: T.RemoveTenantMemberRequest, options?: CallOptions): Call<T.RemoveTenantMemberResult> {
    return callOf(this.send, { method: "DELETE", path: `/v1/tenants/${segment("id", id)}/members/${segment("memberId", memberId)}`, body, keyed: true, options });
  }

  /**
   * Get a member.
   *
   * Callers: `tenant_admin`.
   */
  get(id: string, memberId: string, options?: CallOptions): Call<T.TenantMember> {
    return callOf(this.send, { method: "GET", path: `/v1/tenants/${segment("id", id)}/members/${segment("memberId", memberId)}`, options });
  }

  /**
   * Change a member's roles.
   *
   * Takes effect at once in the process that served the call, and within SESSION_CHECK_SECONDS (60) in all others. A tenant keeps at least one admin: demoting the last one returns a conflict.
   */
  update(id: string, memberId: string, body: T.UpdateTenantMemberRequest, options?: CallOptions): Call<T.TenantMember> {
    return callOf(this.send, { method: "PATCH", path: `/v1/tenants/${segment("id", id)}/members/${segment("memberId", memberId)}`, body, options });
  }
}

/** `tieout.troubleshooting` */
export class TroubleshootingResource extends Resource {
  /**
   * List troubleshooting, newest first.
   *
   * Callers: all roles; API keys with `read:troubleshooting`; the publishable key; the service-role key.
   */
  list(query?: T.ListTroubleshootingQuery, options?: CallOptions): List<T.TroubleshootingGuidePage> {
    return listOf(this.send, "/v1/troubleshooting", query, options);
  }

  /**
   * Create a troubleshooting guide.
   *
   * Any JSON object, up to 64 kB. Other fields are stored as sent.
   */
  create(body?: T.CreateTroubleshootingGuideRequest, options?: CallOptions): Call<T.TroubleshootingGuide> {
    return callOf(this.send, { method: "POST", path: "/v1/troubleshooting", body, keyed: true, options });
  }

  /**
   * Delete a troubleshooting guide.
   *
   * A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
   */
  delete(id: string, options?: CallOptions): Call<T.TroubleshootingGuide | undefined> {
    return callOf(this.send, { method: "DELETE", path: `/v1/troubleshooting/${segment("id", id)}`, options });
  }

  /**
   * Get a troubleshooting guide.
   *
   * Callers: all roles; API keys with `read:troubleshooting`; the publishable key; the service-role key.
   */
  get(id: string, query?: T.GetTroubleshootingGuideQuery, options?: CallOptions): Call<T.TroubleshootingGuide> {
    return callOf(this.send, { method: "GET", path: `/v1/troubleshooting/${segment("id", id)}`, query, options });
  }

  /**
   * Change a troubleshooting guide.
   *
   * A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
   */
  update(id: string, body?: T.UpdateTroubleshootingGuideRequest, options?: CallOptions): Call<T.TroubleshootingGuide | undefined> {
    return callOf(this.send, { method: "PATCH", path: `/v1/troubleshooting/${segment("id", id)}`, body, options });
  }

  /**
   * Restore a deleted troubleshooting guide.
   *
   * Restoring a record that isn't deleted returns it unchanged.
   */
  restore(id: string, body?: T.IdempotentRecordRequest, options?: CallOptions): Call<T.TroubleshootingGuide> {
    return callOf(this.send, { method: "POST", path: `/v1/troubleshooting/${segment("id", id)}/restore`, body, keyed: true, options });
  }
}

/** `tieout.views` */
export class ViewsResource extends Resource {
  /**
   * List your views and those shared with you, oldest first.
   *
   * Callers: all roles.
   */
  list(query?: T.ListViewsQuery, options?: CallOptions): List<T.ViewPage> {
    return listOf(this.send, "/v1/views", query, options);
  }

  /**
   * Save a view.
   *
   * A view is a named set of exception filters. A person can have at most 50.
   */
  create(body: T.CreateViewRequest, options?: CallOptions): Call<T.View> {
    return callOf(this.send, { method: "POST", path: "/v1/views", body, keyed: true, options });
  }

  /**
   * Delete a view.
   *
   * Can't be undone. A shared view can be deleted by its creator or an admin.
   */
  delete(id: string, options?: CallOptions): Call<T.DeletedView> {
    return callOf(this.send, { method: "DELETE", path: `/v1/views/${segment("id", id)}`, options });
  }

  /**
   * Get a view.
   *
   * Callers: all roles.
   */
  get(id: string, options?: CallOptions): Call<T.View> {
    return callOf(this.send, { method: "GET", path: `/v1/views/${segment("id", id)}`, options });
  }

  /**
   * Change a view.
   *
   * A JSON merge patch (RFC 7396), except that filters are replaced as a whole. A shared view can be changed by its creator or an admin.
   */
  update(id: string, body?: T.UpdateViewRequest, options?: CallOptions): Call<T.View> {
    return callOf(this.send, { method: "PATCH", path: `/v1/views/${segment("id", id)}`, body, options });
  }
}

/** `tieout.webhookDeliveries` */
export class WebhookDeliveriesResource extends Resource {
  /**
   * List all webhooks' deliveries, newest first.
   *
   * Deliveries are kept for 30 days.
   */
  list(query?: T.ListDeliveriesQuery, options?: CallOptions): List<T.WebhookDeliveryPage> {
    return listOf(this.send, "/v1/webhook-deliveries", query, options);
  }

  /**
   * Count all webhooks' attempts by hour.
   *
   * With response times.
   */
  getStats(options?: CallOptions): Call<T.WebhookStats> {
    return callOf(this.send, { method: "GET", path: "/v1/webhook-deliveries/stats", options });
  }
}

/** `tieout.webhooks` */
export class WebhooksResource extends Resource {
  /**
   * List webhooks, newest first.
   *
   * Callers: `tenant_admin`; API keys with `read:webhooks`; the service-role key.
   */
  list(query?: T.ListWebhooksQuery, options?: CallOptions): List<T.WebhookPage> {
    return listOf(this.send, "/v1/webhooks", query, options);
  }

  /**
   * Register a webhook.
   *
   * Events are signed as Standard Webhooks specifies, with your secret or a generated one. Delivery starts with the next event.
   */
  create(body: T.CreateWebhookRequest, options?: CallOptions): Call<T.NewWebhook> {
    return callOf(this.send, { method: "POST", path: "/v1/webhooks", body, keyed: true, options });
  }

  /**
   * Preview a webhook's filters.
   *
   * Counts the events of the last 7 days that a webhook with these filters would have received.
   */
  previewFilters(body: T.PreviewWebhookFiltersRequest, options?: CallOptions): Call<T.WebhookFilterPreview> {
    return callOf(this.send, { method: "POST", path: "/v1/webhooks/preview-filters", body, keyed: true, options });
  }

  /**
   * Delete a webhook.
   *
   * Can't be undone. No more events are sent to it and its signing secret is destroyed.
   */
  delete(id: string, options?: CallOptions): Call<T.DeletedWebhook | undefined> {
    return callOf(this.send, { method: "DELETE", path: `/v1/webhooks/${segment("id", id)}`, options });
  }

  /**
   * Get a webhook and its health.
   *
   * Callers: `tenant_admin`; API keys with `read:webhooks`; the service-role key.
   */
  get(id: string, options?: CallOptions): Call<T.Webhook> {
    return callOf(this.send, { method: "GET", path: `/v1/webhooks/${segment("id", id)}`, options });
  }

  /**
   * Change, disable or enable a webhook.
   *
   * A JSON merge patch; filters and headers are replaced as a whole. Disabling cancels pending retries; recover resends them later. reason is stored with the webhook. A new host requires the values of all headers again.
   */
  update(id: string, body?: T.UpdateWebhookRequest, options?: CallOptions): Call<T.Webhook | undefined> {
    return callOf(this.send, { method: "PATCH", path: `/v1/webhooks/${segment("id", id)}`, body, options });
  }

  /**
   * List a webhook's deliveries, newest first.
   *
   * Deliveries are kept for 30 days.
   */
  listDeliveries(id: string, query?: T.ListWebhookDeliveriesQuery, options?: CallOptions): List<T.WebhookDeliveryPage> {
    return listOf(this.send, `/v1/webhooks/${segment("id", id)}/deliveries`, query, options);
  }

  /**
   * Get a delivery with its payload, attempts and responses.
   *
   * Callers: `tenant_admin`; API keys with `read:webhooks`; the service-role key.
   */
  getDelivery(id: string, deliveryId: string, options?: CallOptions): Call<T.WebhookDeliveryDetail> {
    return callOf(this.send, { method: "GET", path: `/v1/webhooks/${segment("id", id)}/deliveries/${segment("deliveryId", deliveryId)}`, options });
  }

  /**
   * Resend a delivery.
   *
   * Sends it immediately with the same webhook-id, even if it was delivered. Returns 409 while it is being sent or if the webhook is disabled.
   */
  resendDelivery(id: string, deliveryId: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.WebhookDelivery | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/webhooks/${segment("id", id)}/deliveries/${segment("deliveryId", deliveryId)}/resend`, body, keyed: true, options });
  }

  /**
   * Enable a webhook.
   *
   * Works whatever disabled it. Missed deliveries aren't resent automatically: recover from missed_since.
   */
  enable(id: string, body?: T.IdempotentRequest, options?: CallOptions): Call<T.Webhook | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/webhooks/${segment("id", id)}/enable`, body, keyed: true, options });
  }

  /**
   * Recover missed deliveries.
   *
   * Resends deliveries of events since then that failed or are waiting for a retry. With dry_run they are only counted. A disabled webhook returns 409, except with dry_run.
   */
  recover(id: string, body: T.RecoverWebhookRequest, options?: CallOptions): Call<T.WebhookRecovery | undefined> {
    return callOf(this.send, { method: "POST", path: `/v1/webhooks/${segment("id", id)}/recover`, body, keyed: true, options });
  }

  /**
   * Rotate a webhook's signing secret.
   *
   * During the grace period, both the new and the previous secret sign.
   */
  rotateSecret(id: string, body?: T.RotateWebhookSecretRequest, options?: CallOptions): Call<T.NewWebhook> {
    return callOf(this.send, { method: "POST", path: `/v1/webhooks/${segment("id", id)}/rotate-secret`, body, keyed: true, options });
  }

  /**
   * Count a webhook's attempts by hour.
   *
   * With response times.
   */
  getStats(id: string, options?: CallOptions): Call<T.WebhookStats> {
    return callOf(this.send, { method: "GET", path: `/v1/webhooks/${segment("id", id)}/stats`, options });
  }

  /**
   * Send a test event.
   *
   * Returns the delivery; its attempts show the result. Only this webhook gets the event, subscribed or not. Any type except webhook.test has example data, with `"test": true` next to `data`. A disabled webhook returns 409.
   */
  test(id: string, body?: T.TestWebhookRequest, options?: CallOptions): Call<T.WebhookDelivery> {
    return callOf(this.send, { method: "POST", path: `/v1/webhooks/${segment("id", id)}/test`, body, keyed: true, options });
  }
}

/** All resources of the API. */
export abstract class Resources extends Resource {
  readonly alertChannels = new AlertChannelsResource(this.send);
  readonly apiKeys = new ApiKeysResource(this.send);
  readonly calendars = new CalendarsResource(this.send);
  readonly closingBoard = new ClosingBoardResource(this.send);
  readonly connections = new ConnectionsResource(this.send);
  readonly decisions = new DecisionsResource(this.send);
  readonly entryBatches = new EntryBatchesResource(this.send);
  readonly events = new EventsResource(this.send);
  readonly evidence = new EvidenceResource(this.send);
  readonly exceptions = new ExceptionsResource(this.send);
  readonly firstSteps = new FirstStepsResource(this.send);
  readonly holidays = new HolidaysResource(this.send);
  readonly imports = new ImportsResource(this.send);
  readonly integrations = new IntegrationsResource(this.send);
  readonly invitations = new InvitationsResource(this.send);
  readonly lines = new LinesResource(this.send);
  readonly matches = new MatchesResource(this.send);
  readonly me = new MeResource(this.send);
  readonly members = new MembersResource(this.send);
  readonly overview = new OverviewResource(this.send);
  readonly reconciliations = new ReconciliationsResource(this.send);
  readonly releaseNotes = new ReleaseNotesResource(this.send);
  readonly requests = new RequestsResource(this.send);
  readonly runs = new RunsResource(this.send);
  readonly sandbox = new SandboxResource(this.send);
  readonly securityEvents = new SecurityEventsResource(this.send);
  readonly slaPolicy = new SlaPolicyResource(this.send);
  readonly sources = new SourcesResource(this.send);
  readonly tenantMembers = new TenantMembersResource(this.send);
  readonly troubleshooting = new TroubleshootingResource(this.send);
  readonly views = new ViewsResource(this.send);
  readonly webhookDeliveries = new WebhookDeliveriesResource(this.send);
  readonly webhooks = new WebhooksResource(this.send);
}

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
