# Written by `npm run generate` from openapi.json.
# ruff: noqa
# Data is parsed JSON: its types are declared, not checked.
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any, Literal, Optional, Sequence, Union, Unpack

from . import _types as T
from ._calls import (
    AsyncExport,
    AsyncPages,
    AsyncResource,
    AsyncTransport,
    Export,
    FileContent,
    Options,
    Pages,
    SyncResource,
    SyncTransport,
    segment,
)


class AlertChannels(SyncResource):
    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.AlertChannel]:
        """List alert channels, newest first.

        Callers: `tenant_admin`; the service-role key.
        """
        return self._list("GET", f"/v1/alert-channels", options, query={"limit": limit, "cursor": cursor})

    def create(self, body: T.CreateAlertChannelRequest, **options: Unpack[Options]) -> T.AlertChannel:
        """Add an alert channel.

        At most 20. The address must be public, like a webhook's.
        """
        return self._call("POST", f"/v1/alert-channels", options, body=body, takes_key=True)

    def delete(self, id: str, **options: Unpack[Options]) -> T.AlertChannel:
        """Delete an alert channel.

        Callers: `tenant_admin`; the service-role key.
        """
        return self._call("DELETE", f"/v1/alert-channels/{segment('id', id)}", options)

    def get(self, id: str, **options: Unpack[Options]) -> T.AlertChannel:
        """Get an alert channel.

        Callers: `tenant_admin`; the service-role key.
        """
        return self._call("GET", f"/v1/alert-channels/{segment('id', id)}", options)

    def update(self, id: str, body: Optional[T.UpdateAlertChannelRequest] = None, **options: Unpack[Options]) -> T.AlertChannel:
        """Change an alert channel.

        Callers: `tenant_admin`; the service-role key.
        """
        return self._call("PATCH", f"/v1/alert-channels/{segment('id', id)}", options, body=body)

    def test(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.AlertChannel:
        """Send a test message.

        Returns before the message is sent: last_sent_at or last_failure shows the result.
        """
        return self._call("POST", f"/v1/alert-channels/{segment('id', id)}/test", options, body=body, takes_key=True)


class AsyncAlertChannels(AsyncResource):
    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.AlertChannel]:
        """List alert channels, newest first.

        Callers: `tenant_admin`; the service-role key.
        """
        return self._list("GET", f"/v1/alert-channels", options, query={"limit": limit, "cursor": cursor})

    async def create(self, body: T.CreateAlertChannelRequest, **options: Unpack[Options]) -> T.AlertChannel:
        """Add an alert channel.

        At most 20. The address must be public, like a webhook's.
        """
        return await self._call("POST", f"/v1/alert-channels", options, body=body, takes_key=True)

    async def delete(self, id: str, **options: Unpack[Options]) -> T.AlertChannel:
        """Delete an alert channel.

        Callers: `tenant_admin`; the service-role key.
        """
        return await self._call("DELETE", f"/v1/alert-channels/{segment('id', id)}", options)

    async def get(self, id: str, **options: Unpack[Options]) -> T.AlertChannel:
        """Get an alert channel.

        Callers: `tenant_admin`; the service-role key.
        """
        return await self._call("GET", f"/v1/alert-channels/{segment('id', id)}", options)

    async def update(self, id: str, body: Optional[T.UpdateAlertChannelRequest] = None, **options: Unpack[Options]) -> T.AlertChannel:
        """Change an alert channel.

        Callers: `tenant_admin`; the service-role key.
        """
        return await self._call("PATCH", f"/v1/alert-channels/{segment('id', id)}", options, body=body)

    async def test(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.AlertChannel:
        """Send a test message.

        Returns before the message is sent: last_sent_at or last_failure shows the result.
        """
        return await self._call("POST", f"/v1/alert-channels/{segment('id', id)}/test", options, body=body, takes_key=True)


class ApiKeys(SyncResource):
    def list(self, id: str, *, limit: Optional[int] = None, status: Optional[T.ApiKeyStatus] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.ApiKey]:
        """List API keys, newest first.

        Callers: `tenant_admin`.
        """
        return self._list("GET", f"/v1/tenants/{segment('id', id)}/api-keys", options, query={"limit": limit, "status": status, "q": q, "cursor": cursor})

    def create(self, id: str, body: T.CreateApiKeyRequest, **options: Unpack[Options]) -> T.NewApiKey:
        """Create an API key.

        This is the only response that includes key_secret. The credential is <key_id>.<key_secret>.
        """
        return self._call("POST", f"/v1/tenants/{segment('id', id)}/api-keys", options, body=body, takes_key=True)

    def revoke(self, id: str, key_id: str, body: Optional[T.RevokeApiKeyRequest] = None, **options: Unpack[Options]) -> T.ApiKey:
        """Revoke an API key.

        Takes effect immediately and can't be undone. Revoking a revoked key returns it unchanged. Webhooks it registered stay active, unless disable_webhooks is true.
        """
        return self._call("DELETE", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}", options, body=body, takes_key=True)

    def get(self, id: str, key_id: str, **options: Unpack[Options]) -> T.ApiKey:
        """Get an API key's metadata.

        Callers: `tenant_admin`.
        """
        return self._call("GET", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}", options)

    def update(self, id: str, key_id: str, body: Optional[T.UpdateApiKeyRequest] = None, **options: Unpack[Options]) -> T.ApiKey:
        """Change an API key.

        Callers: `tenant_admin`.
        """
        return self._call("PATCH", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}", options, body=body)

    def estimate_impact(self, id: str, key_id: str, body: Optional[T.EstimateApiKeyImpactRequest] = None, **options: Unpack[Options]) -> T.ApiKeyImpact:
        """Preview a change to an API key.

        Counts the calls in the last 7 days that the change would have refused. expires_at may be in the past here: it refuses calls made after it.
        """
        return self._call("POST", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}/impact", options, body=body, takes_key=True)

    def rotate(self, id: str, key_id: str, body: Optional[T.RotateApiKeyRequest] = None, **options: Unpack[Options]) -> T.NewApiKey:
        """Rotate an API key.

        Returns a successor with its secret. The old key stays valid for the grace period, but never past its own expiry.
        """
        return self._call("POST", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}/rotate", options, body=body, takes_key=True)

    def get_usage(self, id: str, key_id: str, **options: Unpack[Options]) -> T.ApiKeyUsage:
        """Get an API key's usage.

        Callers: `tenant_admin`.
        """
        return self._call("GET", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}/usage", options)


class AsyncApiKeys(AsyncResource):
    def list(self, id: str, *, limit: Optional[int] = None, status: Optional[T.ApiKeyStatus] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.ApiKey]:
        """List API keys, newest first.

        Callers: `tenant_admin`.
        """
        return self._list("GET", f"/v1/tenants/{segment('id', id)}/api-keys", options, query={"limit": limit, "status": status, "q": q, "cursor": cursor})

    async def create(self, id: str, body: T.CreateApiKeyRequest, **options: Unpack[Options]) -> T.NewApiKey:
        """Create an API key.

        This is the only response that includes key_secret. The credential is <key_id>.<key_secret>.
        """
        return await self._call("POST", f"/v1/tenants/{segment('id', id)}/api-keys", options, body=body, takes_key=True)

    async def revoke(self, id: str, key_id: str, body: Optional[T.RevokeApiKeyRequest] = None, **options: Unpack[Options]) -> T.ApiKey:
        """Revoke an API key.

        Takes effect immediately and can't be undone. Revoking a revoked key returns it unchanged. Webhooks it registered stay active, unless disable_webhooks is true.
        """
        return await self._call("DELETE", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}", options, body=body, takes_key=True)

    async def get(self, id: str, key_id: str, **options: Unpack[Options]) -> T.ApiKey:
        """Get an API key's metadata.

        Callers: `tenant_admin`.
        """
        return await self._call("GET", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}", options)

    async def update(self, id: str, key_id: str, body: Optional[T.UpdateApiKeyRequest] = None, **options: Unpack[Options]) -> T.ApiKey:
        """Change an API key.

        Callers: `tenant_admin`.
        """
        return await self._call("PATCH", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}", options, body=body)

    async def estimate_impact(self, id: str, key_id: str, body: Optional[T.EstimateApiKeyImpactRequest] = None, **options: Unpack[Options]) -> T.ApiKeyImpact:
        """Preview a change to an API key.

        Counts the calls in the last 7 days that the change would have refused. expires_at may be in the past here: it refuses calls made after it.
        """
        return await self._call("POST", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}/impact", options, body=body, takes_key=True)

    async def rotate(self, id: str, key_id: str, body: Optional[T.RotateApiKeyRequest] = None, **options: Unpack[Options]) -> T.NewApiKey:
        """Rotate an API key.

        Returns a successor with its secret. The old key stays valid for the grace period, but never past its own expiry.
        """
        return await self._call("POST", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}/rotate", options, body=body, takes_key=True)

    async def get_usage(self, id: str, key_id: str, **options: Unpack[Options]) -> T.ApiKeyUsage:
        """Get an API key's usage.

        Callers: `tenant_admin`.
        """
        return await self._call("GET", f"/v1/tenants/{segment('id', id)}/api-keys/{segment('key_id', key_id)}/usage", options)


class Calendars(SyncResource):
    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Calendar]:
        """List calendars, newest first.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._list("GET", f"/v1/calendars", options, query={"limit": limit, "cursor": cursor})

    def create(self, body: T.CreateCalendarRequest, **options: Unpack[Options]) -> T.Calendar:
        """Create a calendar.

        When your team works. It is open whenever the local clock shows a time inside an interval: the hour skipped in spring is never open, the hour repeated in autumn is open twice. At most 100 calendars.
        """
        return self._call("POST", f"/v1/calendars", options, body=body, takes_key=True)

    def read_ics(self, body: T.ReadIcsRequest, **options: Unpack[Options]) -> T.IcsDays:
        """Read special days from an ICS file.

        All-day events (RFC 5545) become closed days; yearly and monthly ones for five years ahead. Moved and cancelled occurrences are respected. Nothing is added to a calendar until you send the days as special_days.
        """
        return self._call("POST", f"/v1/calendars/read-ics", options, body=body, takes_key=True)

    def get(self, id: str, **options: Unpack[Options]) -> T.Calendar:
        """Get a calendar.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._call("GET", f"/v1/calendars/{segment('id', id)}", options)

    def put(self, id: str, body: T.PutCalendarRequest, **options: Unpack[Options]) -> T.CalendarChange:
        """Set a calendar.

        Changed hours make a new version, which new deadlines use. apply_to: open also moves open deadlines that the SLA policy set; events already sent stand. Open reconciliations with this calendar are matched again with the new version, whatever apply_to says: at once with auto_run, otherwise at their next run. With dry_run, nothing changes: the response previews the effect.
        """
        return self._call("PUT", f"/v1/calendars/{segment('id', id)}", options, body=body)

    def get_ics(self, id: str, **options: Unpack[Options]) -> T.CalendarIcs:
        """Get a calendar's special days as ICS.

        One all-day event for each day. Special hours are in X-TIEOUT-INTERVALS, which an import of the file reads.
        """
        return self._call("GET", f"/v1/calendars/{segment('id', id)}/ics", options)

    def list_open_hours(self, id: str, *, since: str, until: str, **options: Unpack[Options]) -> T.OpenHours:
        """List when a calendar is open.

        In UTC, over at most 366 days.
        """
        return self._call("GET", f"/v1/calendars/{segment('id', id)}/open-hours", options, query={"since": since, "until": until})

    def list_versions(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.CalendarVersion]:
        """List a calendar's versions, newest first.

        Every change of its hours, and how many open exceptions use each version.
        """
        return self._list("GET", f"/v1/calendars/{segment('id', id)}/versions", options, query={"limit": limit, "cursor": cursor})


class AsyncCalendars(AsyncResource):
    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Calendar]:
        """List calendars, newest first.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._list("GET", f"/v1/calendars", options, query={"limit": limit, "cursor": cursor})

    async def create(self, body: T.CreateCalendarRequest, **options: Unpack[Options]) -> T.Calendar:
        """Create a calendar.

        When your team works. It is open whenever the local clock shows a time inside an interval: the hour skipped in spring is never open, the hour repeated in autumn is open twice. At most 100 calendars.
        """
        return await self._call("POST", f"/v1/calendars", options, body=body, takes_key=True)

    async def read_ics(self, body: T.ReadIcsRequest, **options: Unpack[Options]) -> T.IcsDays:
        """Read special days from an ICS file.

        All-day events (RFC 5545) become closed days; yearly and monthly ones for five years ahead. Moved and cancelled occurrences are respected. Nothing is added to a calendar until you send the days as special_days.
        """
        return await self._call("POST", f"/v1/calendars/read-ics", options, body=body, takes_key=True)

    async def get(self, id: str, **options: Unpack[Options]) -> T.Calendar:
        """Get a calendar.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return await self._call("GET", f"/v1/calendars/{segment('id', id)}", options)

    async def put(self, id: str, body: T.PutCalendarRequest, **options: Unpack[Options]) -> T.CalendarChange:
        """Set a calendar.

        Changed hours make a new version, which new deadlines use. apply_to: open also moves open deadlines that the SLA policy set; events already sent stand. Open reconciliations with this calendar are matched again with the new version, whatever apply_to says: at once with auto_run, otherwise at their next run. With dry_run, nothing changes: the response previews the effect.
        """
        return await self._call("PUT", f"/v1/calendars/{segment('id', id)}", options, body=body)

    async def get_ics(self, id: str, **options: Unpack[Options]) -> T.CalendarIcs:
        """Get a calendar's special days as ICS.

        One all-day event for each day. Special hours are in X-TIEOUT-INTERVALS, which an import of the file reads.
        """
        return await self._call("GET", f"/v1/calendars/{segment('id', id)}/ics", options)

    async def list_open_hours(self, id: str, *, since: str, until: str, **options: Unpack[Options]) -> T.OpenHours:
        """List when a calendar is open.

        In UTC, over at most 366 days.
        """
        return await self._call("GET", f"/v1/calendars/{segment('id', id)}/open-hours", options, query={"since": since, "until": until})

    def list_versions(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.CalendarVersion]:
        """List a calendar's versions, newest first.

        Every change of its hours, and how many open exceptions use each version.
        """
        return self._list("GET", f"/v1/calendars/{segment('id', id)}/versions", options, query={"limit": limit, "cursor": cursor})


class ClosingBoard(SyncResource):
    def get(self, *, from_: str, to: str, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.BoardPair]:
        """Get the closing board.

        All pairs of sources, in the order in which their sources were created, with the periods that end in these months: their state, who signed, when they are due and what is open.
        """
        return self._list("GET", f"/v1/closing-board", options, query={"from": from_, "to": to, "limit": limit, "cursor": cursor})

    def open_next_periods(self, body: T.OpenNextPeriodsRequest, **options: Unpack[Options]) -> Union[T.NextPeriods, None]:
        """Open the next periods.

        For all pairs, or for those named, creates the periods after the newest one, up to the one that begins in `through`: of the same length, named alike, with the same sources and rules. At most 12 for a pair. Pairs that already reach the month don't change, so the call can be repeated. With dry_run, the response shows what it would create.
        """
        return self._call("POST", f"/v1/closing-board/next", options, body=body, takes_key=True)


class AsyncClosingBoard(AsyncResource):
    def get(self, *, from_: str, to: str, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.BoardPair]:
        """Get the closing board.

        All pairs of sources, in the order in which their sources were created, with the periods that end in these months: their state, who signed, when they are due and what is open.
        """
        return self._list("GET", f"/v1/closing-board", options, query={"from": from_, "to": to, "limit": limit, "cursor": cursor})

    async def open_next_periods(self, body: T.OpenNextPeriodsRequest, **options: Unpack[Options]) -> Union[T.NextPeriods, None]:
        """Open the next periods.

        For all pairs, or for those named, creates the periods after the newest one, up to the one that begins in `through`: of the same length, named alike, with the same sources and rules. At most 12 for a pair. Pairs that already reach the month don't change, so the call can be repeated. With dry_run, the response shows what it would create.
        """
        return await self._call("POST", f"/v1/closing-board/next", options, body=body, takes_key=True)


class Connections(SyncResource):
    def list(self, *, limit: Optional[int] = None, source_id: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Connection]:
        """List connections, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/connections", options, query={"limit": limit, "source_id": source_id, "cursor": cursor})

    def create(self, body: T.CreateConnectionRequest, **options: Unpack[Options]) -> T.Connection:
        """Connect a source.

        Fetches the source's files from a server on business days, each once, and imports them with the source's mapping. With kind mail, it creates an address that accepts files by mail. A source has at most one connection.
        """
        return self._call("POST", f"/v1/connections", options, body=body, takes_key=True)

    def delete(self, id: str, **options: Unpack[Options]) -> Union[T.DeletedConnection, None]:
        """Delete a connection.

        Its credential is destroyed. Imported lines stay.
        """
        return self._call("DELETE", f"/v1/connections/{segment('id', id)}", options)

    def get(self, id: str, **options: Unpack[Options]) -> T.Connection:
        """Get a connection.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._call("GET", f"/v1/connections/{segment('id', id)}", options)

    def update(self, id: str, body: Optional[T.UpdateConnectionRequest] = None, **options: Unpack[Options]) -> Union[T.Connection, None]:
        """Change a connection.

        A new address or sign-in needs the credential again. Setting host_key resumes a stopped connection.
        """
        return self._call("PATCH", f"/v1/connections/{segment('id', id)}", options, body=body)

    def fetch(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.Connection:
        """Fetch now.

        Checks for files in the background, also outside the schedule, and retries failed and undone ones. The list of files shows the result.
        """
        return self._call("POST", f"/v1/connections/{segment('id', id)}/fetch", options, body=body, takes_key=True)

    def list_files(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.ConnectionFile]:
        """List what a connection found, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/connections/{segment('id', id)}/files", options, query={"limit": limit, "cursor": cursor})

    def test(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.ConnectionTest:
        """Test a connection.

        Signs in, shows the host key and lists files, without fetching or pinning anything.
        """
        return self._call("POST", f"/v1/connections/{segment('id', id)}/test", options, body=body, takes_key=True)


class AsyncConnections(AsyncResource):
    def list(self, *, limit: Optional[int] = None, source_id: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Connection]:
        """List connections, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/connections", options, query={"limit": limit, "source_id": source_id, "cursor": cursor})

    async def create(self, body: T.CreateConnectionRequest, **options: Unpack[Options]) -> T.Connection:
        """Connect a source.

        Fetches the source's files from a server on business days, each once, and imports them with the source's mapping. With kind mail, it creates an address that accepts files by mail. A source has at most one connection.
        """
        return await self._call("POST", f"/v1/connections", options, body=body, takes_key=True)

    async def delete(self, id: str, **options: Unpack[Options]) -> Union[T.DeletedConnection, None]:
        """Delete a connection.

        Its credential is destroyed. Imported lines stay.
        """
        return await self._call("DELETE", f"/v1/connections/{segment('id', id)}", options)

    async def get(self, id: str, **options: Unpack[Options]) -> T.Connection:
        """Get a connection.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return await self._call("GET", f"/v1/connections/{segment('id', id)}", options)

    async def update(self, id: str, body: Optional[T.UpdateConnectionRequest] = None, **options: Unpack[Options]) -> Union[T.Connection, None]:
        """Change a connection.

        A new address or sign-in needs the credential again. Setting host_key resumes a stopped connection.
        """
        return await self._call("PATCH", f"/v1/connections/{segment('id', id)}", options, body=body)

    async def fetch(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.Connection:
        """Fetch now.

        Checks for files in the background, also outside the schedule, and retries failed and undone ones. The list of files shows the result.
        """
        return await self._call("POST", f"/v1/connections/{segment('id', id)}/fetch", options, body=body, takes_key=True)

    def list_files(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.ConnectionFile]:
        """List what a connection found, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/connections/{segment('id', id)}/files", options, query={"limit": limit, "cursor": cursor})

    async def test(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.ConnectionTest:
        """Test a connection.

        Signs in, shows the host key and lists files, without fetching or pinning anything.
        """
        return await self._call("POST", f"/v1/connections/{segment('id', id)}/test", options, body=body, takes_key=True)


class Decisions(SyncResource):
    def undo(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Decision, None]:
        """Undo a decision.

        All or nothing: confirmed and rejected matches are suggested again, a manual match is undone, an excluded line is open again. Others' decisions, manual matches and exclusions require the right to write reconciliations.
        """
        return self._call("POST", f"/v1/decisions/{segment('id', id)}/undo", options, body=body, takes_key=True)


class AsyncDecisions(AsyncResource):
    async def undo(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Decision, None]:
        """Undo a decision.

        All or nothing: confirmed and rejected matches are suggested again, a manual match is undone, an excluded line is open again. Others' decisions, manual matches and exclusions require the right to write reconciliations.
        """
        return await self._call("POST", f"/v1/decisions/{segment('id', id)}/undo", options, body=body, takes_key=True)


class EntryBatches(SyncResource):
    def list(self, *, limit: Optional[int] = None, state: Optional[T.EntryBatchState] = None, year: Optional[int] = None, reconciliation_id: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.EntryBatch]:
        """List entry batches, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/entry-batches", options, query={"limit": limit, "state": state, "year": year, "reconciliation_id": reconciliation_id, "cursor": cursor})

    def get(self, id: str, **options: Unpack[Options]) -> T.EntryBatch:
        """Get an entry batch.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._call("GET", f"/v1/entry-batches/{segment('id', id)}", options)

    def list_entries(self, id: str, *, limit: Optional[int] = None, currency: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Entry]:
        """List the entries of a batch.

        Each debits one account and credits another by the same amount, in the order of the batch. Reversals come first.
        """
        return self._list("GET", f"/v1/entry-batches/{segment('id', id)}/entries", options, query={"limit": limit, "currency": currency, "cursor": cursor})

    def export_entries(self, id: str, *, currency: Optional[str] = None, columns: Optional[Sequence[Literal["batch_number", "place", "posting_date", "debit_account", "credit_account", "amount", "currency", "text", "tax_code", "cost_center", "kind", "value_date", "reference", "counterparty", "amount_minor", "difference_minor", "subject_id", "reverses"]]] = None, format: Optional[T.ExportFormatWithWorkbook] = None, **options: Unpack[Options]) -> Export:
        """Export the entries of a batch.

        A row for each entry, with the columns that you choose. Exporting does not mark the batch as exported. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/entry-batches/{segment('id', id)}/entries/export", options, query={"currency": currency, "columns": columns, "format": format}, has_end_mark=True)

    def mark_exported(self, id: str, body: Optional[T.MarkEntryBatchExportedRequest] = None, **options: Unpack[Options]) -> Union[T.EntryBatch, None]:
        """Mark a batch as exported.

        Mark it once the ledger has it. A second call returns 409, so that only one of two programs posts it. With four_eyes, not by someone who worked in the period.
        """
        return self._call("POST", f"/v1/entry-batches/{segment('id', id)}/exported", options, body=body, takes_key=True)

    def get_ledger_file(self, id: str, *, format: Optional[Literal["datev", "xero", "quickbooks", "quickbooks_iif", "netsuite", "sap"]] = None, currency: Optional[str] = None, part: Optional[int] = None, **options: Unpack[Options]) -> Export:
        """Get a batch as a file for a ledger.

        In the import layout that the ledger publishes; the guide to entries names the sources. One currency per file. 409 names an entry that the ledger can't accept. Downloading doesn't mark the batch as exported.
        """
        return self._export("GET", f"/v1/entry-batches/{segment('id', id)}/ledger-file", options, query={"format": format, "currency": currency, "part": part})

    def push(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.EntryBatch, None]:
        """Push a batch now.

        Pushes it to the connection in the entry rules. It is exported once its files are written.
        """
        return self._call("POST", f"/v1/entry-batches/{segment('id', id)}/push", options, body=body, takes_key=True)


class AsyncEntryBatches(AsyncResource):
    def list(self, *, limit: Optional[int] = None, state: Optional[T.EntryBatchState] = None, year: Optional[int] = None, reconciliation_id: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.EntryBatch]:
        """List entry batches, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/entry-batches", options, query={"limit": limit, "state": state, "year": year, "reconciliation_id": reconciliation_id, "cursor": cursor})

    async def get(self, id: str, **options: Unpack[Options]) -> T.EntryBatch:
        """Get an entry batch.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return await self._call("GET", f"/v1/entry-batches/{segment('id', id)}", options)

    def list_entries(self, id: str, *, limit: Optional[int] = None, currency: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Entry]:
        """List the entries of a batch.

        Each debits one account and credits another by the same amount, in the order of the batch. Reversals come first.
        """
        return self._list("GET", f"/v1/entry-batches/{segment('id', id)}/entries", options, query={"limit": limit, "currency": currency, "cursor": cursor})

    def export_entries(self, id: str, *, currency: Optional[str] = None, columns: Optional[Sequence[Literal["batch_number", "place", "posting_date", "debit_account", "credit_account", "amount", "currency", "text", "tax_code", "cost_center", "kind", "value_date", "reference", "counterparty", "amount_minor", "difference_minor", "subject_id", "reverses"]]] = None, format: Optional[T.ExportFormatWithWorkbook] = None, **options: Unpack[Options]) -> AsyncExport:
        """Export the entries of a batch.

        A row for each entry, with the columns that you choose. Exporting does not mark the batch as exported. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/entry-batches/{segment('id', id)}/entries/export", options, query={"currency": currency, "columns": columns, "format": format}, has_end_mark=True)

    async def mark_exported(self, id: str, body: Optional[T.MarkEntryBatchExportedRequest] = None, **options: Unpack[Options]) -> Union[T.EntryBatch, None]:
        """Mark a batch as exported.

        Mark it once the ledger has it. A second call returns 409, so that only one of two programs posts it. With four_eyes, not by someone who worked in the period.
        """
        return await self._call("POST", f"/v1/entry-batches/{segment('id', id)}/exported", options, body=body, takes_key=True)

    def get_ledger_file(self, id: str, *, format: Optional[Literal["datev", "xero", "quickbooks", "quickbooks_iif", "netsuite", "sap"]] = None, currency: Optional[str] = None, part: Optional[int] = None, **options: Unpack[Options]) -> AsyncExport:
        """Get a batch as a file for a ledger.

        In the import layout that the ledger publishes; the guide to entries names the sources. One currency per file. 409 names an entry that the ledger can't accept. Downloading doesn't mark the batch as exported.
        """
        return self._export("GET", f"/v1/entry-batches/{segment('id', id)}/ledger-file", options, query={"format": format, "currency": currency, "part": part})

    async def push(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.EntryBatch, None]:
        """Push a batch now.

        Pushes it to the connection in the entry rules. It is exported once its files are written.
        """
        return await self._call("POST", f"/v1/entry-batches/{segment('id', id)}/push", options, body=body, takes_key=True)


class Events(SyncResource):
    def list(self, *, limit: Optional[int] = None, types: Optional[Sequence[T.EventKind]] = None, subject: Optional[str] = None, since: Optional[str] = None, wait: Optional[int] = None, test: Optional[bool] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.ListedEvent]:
        """List events, oldest first.

        The events of the last 30 days, with the IDs and bodies that webhooks deliver. Send resume_cursor as cursor next time: no event ever appears behind it, and each appears at least once. A cursor works with any filters. With wait, a call without events waits for one. A key gets the types that its scopes allow; naming another type is refused.
        """
        return self._list("GET", f"/v1/events", options, query={"limit": limit, "types": types, "subject": subject, "since": since, "wait": wait, "test": test, "cursor": cursor})

    def create_test(self, body: T.CreateTestEventRequest, **options: Unpack[Options]) -> T.ListedEvent:
        """Send a test event.

        An event with example data and `"test": true`, for readers that ask for tests. No webhook gets it.
        """
        return self._call("POST", f"/v1/events", options, body=body, takes_key=True)

    def get(self, id: str, **options: Unpack[Options]) -> T.ListedEvent:
        """Get an event.

        Callers: all roles; all API keys; the service-role key.
        """
        return self._call("GET", f"/v1/events/{segment('id', id)}", options)


class AsyncEvents(AsyncResource):
    def list(self, *, limit: Optional[int] = None, types: Optional[Sequence[T.EventKind]] = None, subject: Optional[str] = None, since: Optional[str] = None, wait: Optional[int] = None, test: Optional[bool] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.ListedEvent]:
        """List events, oldest first.

        The events of the last 30 days, with the IDs and bodies that webhooks deliver. Send resume_cursor as cursor next time: no event ever appears behind it, and each appears at least once. A cursor works with any filters. With wait, a call without events waits for one. A key gets the types that its scopes allow; naming another type is refused.
        """
        return self._list("GET", f"/v1/events", options, query={"limit": limit, "types": types, "subject": subject, "since": since, "wait": wait, "test": test, "cursor": cursor})

    async def create_test(self, body: T.CreateTestEventRequest, **options: Unpack[Options]) -> T.ListedEvent:
        """Send a test event.

        An event with example data and `"test": true`, for readers that ask for tests. No webhook gets it.
        """
        return await self._call("POST", f"/v1/events", options, body=body, takes_key=True)

    async def get(self, id: str, **options: Unpack[Options]) -> T.ListedEvent:
        """Get an event.

        Callers: all roles; all API keys; the service-role key.
        """
        return await self._call("GET", f"/v1/events/{segment('id', id)}", options)


class Evidence(SyncResource):
    def list(self, *, subject_id: str, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Evidence]:
        """List the evidence of a subject, newest first.

        A file that was superseded stays in the list, a removed one doesn't.
        """
        return self._list("GET", f"/v1/evidence", options, query={"limit": limit, "subject_id": subject_id, "cursor": cursor})

    def add(self, file: FileContent, *, subject_id: str, file_name: str, supersedes: Optional[str] = None, **options: Unpack[Options]) -> T.Evidence:
        """Add a file of evidence.

        The file is the body: PDF, an image (PNG, JPEG, GIF, WebP, TIFF, HEIC), an Excel workbook (.xlsx), CSV, an email (.eml) or plain text, at most 10 MiB. The type is detected from the content; other types, such as HTML and SVG, are refused. The name gets the extension of the type. At most 50 files for one subject. For an exception, a key also needs write:exceptions.
        """
        return self._call("POST", f"/v1/evidence", options, query={"subject_id": subject_id, "file_name": file_name, "supersedes": supersedes}, file=file, takes_key=True)

    def remove(self, id: str, body: T.RemoveEvidenceRequest, **options: Unpack[Options]) -> Union[T.Evidence, None]:
        """Remove a file of evidence.

        Its content is deleted; its hash and the reason stay in the audit log. What a signed statement lists can't be removed: add a file that supersedes it. Removing one revokes the signatures of its open period.
        """
        return self._call("DELETE", f"/v1/evidence/{segment('id', id)}", options, body=body)

    def get(self, id: str, **options: Unpack[Options]) -> T.Evidence:
        """Get a file of evidence.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._call("GET", f"/v1/evidence/{segment('id', id)}", options)

    def get_content(self, id: str, **options: Unpack[Options]) -> Export:
        """Download a file of evidence.

        Byte for byte as it was added, always as a download, never shown as a page.
        """
        return self._export("GET", f"/v1/evidence/{segment('id', id)}/content", options)


class AsyncEvidence(AsyncResource):
    def list(self, *, subject_id: str, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Evidence]:
        """List the evidence of a subject, newest first.

        A file that was superseded stays in the list, a removed one doesn't.
        """
        return self._list("GET", f"/v1/evidence", options, query={"limit": limit, "subject_id": subject_id, "cursor": cursor})

    async def add(self, file: FileContent, *, subject_id: str, file_name: str, supersedes: Optional[str] = None, **options: Unpack[Options]) -> T.Evidence:
        """Add a file of evidence.

        The file is the body: PDF, an image (PNG, JPEG, GIF, WebP, TIFF, HEIC), an Excel workbook (.xlsx), CSV, an email (.eml) or plain text, at most 10 MiB. The type is detected from the content; other types, such as HTML and SVG, are refused. The name gets the extension of the type. At most 50 files for one subject. For an exception, a key also needs write:exceptions.
        """
        return await self._call("POST", f"/v1/evidence", options, query={"subject_id": subject_id, "file_name": file_name, "supersedes": supersedes}, file=file, takes_key=True)

    async def remove(self, id: str, body: T.RemoveEvidenceRequest, **options: Unpack[Options]) -> Union[T.Evidence, None]:
        """Remove a file of evidence.

        Its content is deleted; its hash and the reason stay in the audit log. What a signed statement lists can't be removed: add a file that supersedes it. Removing one revokes the signatures of its open period.
        """
        return await self._call("DELETE", f"/v1/evidence/{segment('id', id)}", options, body=body)

    async def get(self, id: str, **options: Unpack[Options]) -> T.Evidence:
        """Get a file of evidence.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return await self._call("GET", f"/v1/evidence/{segment('id', id)}", options)

    def get_content(self, id: str, **options: Unpack[Options]) -> AsyncExport:
        """Download a file of evidence.

        Byte for byte as it was added, always as a download, never shown as a page.
        """
        return self._export("GET", f"/v1/evidence/{segment('id', id)}/content", options)


class Exceptions(SyncResource):
    def list(self, *, limit: Optional[int] = None, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, updated_since: Optional[str] = None, status: Optional[Sequence[T.ExceptionStatus]] = None, sortBy: Optional[T.ExceptionSort] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.SlaException]:
        """List exceptions, newest first.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._list("GET", f"/v1/exceptions", options, query={"limit": limit, "assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "updated_since": updated_since, "status": status, "sortBy": sortBy, "cursor": cursor})

    def create(self, body: T.CreateExceptionRequest, **options: Unpack[Options]) -> T.SlaException:
        """Create an exception.

        Without due_at, the tenant's SLA policy for the severity sets the deadline.
        """
        return self._call("POST", f"/v1/exceptions", options, body=body, takes_key=True)

    def update_many(self, body: T.UpdateExceptionsRequest, **options: Unpack[Options]) -> Union[T.BulkUpdate, None]:
        """Change many exceptions at once.

        Changes, pauses or resumes exceptions. With ids: at most 500, all or none; errors name the index in ids. With a filter: all open ones that match, fewer than 10,000. expected_count is how many you expect; if another number matches, the response is 409. Each call changes at most 500: repeat it with next_cursor as cursor until that is null. Exceptions that can't be changed are skipped and named.
        """
        return self._call("POST", f"/v1/exceptions/bulk", options, body=body, takes_key=True)

    def export(self, *, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, updated_since: Optional[str] = None, status: Optional[Sequence[T.ExceptionStatus]] = None, sortBy: Optional[T.ExceptionSort] = None, format: Optional[T.ExportFormat] = None, **options: Unpack[Options]) -> Export:
        """Export exceptions, open or closed.

        Streams everything that matches the filters. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/exceptions/export", options, query={"assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "updated_since": updated_since, "status": status, "sortBy": sortBy, "format": format}, has_end_mark=True)

    def import_(self, file: FileContent, **options: Unpack[Options]) -> T.ImportReport:
        """Import exceptions from a file.

        NDJSON, or CSV with a header row. The fields are those of creating one exception, with details as JSON. At most 100,000 rows and 64 MiB. Valid rows are created in batches as they arrive; the others are reported by line and reason. With an idempotency key, an interrupted import can be retried: no row is imported twice.
        """
        return self._call("POST", f"/v1/exceptions/import", options, file=file, takes_key=True)

    def list_sla(self, *, limit: Optional[int] = None, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, status: Optional[Sequence[T.OpenExceptionStatus]] = None, sortBy: Optional[T.SlaSort] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.SlaItem]:
        """List open exceptions by time to breach.

        Open and in-review exceptions, with a summary of all of them. breach_risk: breached at 0 minutes or less, high below 60, medium from 60 to 240, low above. The weak ETag holds for at most a minute, while minutes_to_breach goes on.
        """
        return self._list("GET", f"/v1/exceptions/sla", options, query={"limit": limit, "assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "status": status, "sortBy": sortBy, "cursor": cursor})

    def list_sla_changes(self, *, since: str, limit: Optional[int] = None, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, status: Optional[Sequence[T.OpenExceptionStatus]] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.SlaChange]:
        """List what changed in the open exceptions.

        Keeps a list up to date. Send the list's filters and its as_of as since; follow next_cursor, then pass the first page's as_of next time, with its ETag. Each item has the current exception, or null if your filters no longer match it. Changes of breach_risk over time are included. Items can repeat, so apply them idempotently.
        """
        return self._list("GET", f"/v1/exceptions/sla/changes", options, query={"limit": limit, "assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "status": status, "since": since, "cursor": cursor})

    def export_sla(self, *, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, status: Optional[Sequence[T.OpenExceptionStatus]] = None, sortBy: Optional[T.SlaSort] = None, format: Optional[T.ExportFormat] = None, **options: Unpack[Options]) -> Export:
        """Export open exceptions.

        Streams everything that matches the filters. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/exceptions/sla/export", options, query={"assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "status": status, "sortBy": sortBy, "format": format}, has_end_mark=True)

    def get_sla_facets(self, *, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, status: Optional[Sequence[T.ExceptionStatus]] = None, state: Optional[Literal["open", "closed", "all"]] = None, **options: Unpack[Options]) -> T.SlaFacets:
        """Count exceptions by each filter's values.

        For each filter, how many exceptions have each of its values, among those that match all other filters. Counts the first 20,000; complete says whether that is all. A filter with many values has the 50 most frequent.
        """
        return self._call("GET", f"/v1/exceptions/sla/facets", options, query={"assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "status": status, "state": state})

    def get_sla_report(self, *, since: str, until: str, by: Optional[T.SlaReportGrouping] = None, **options: Unpack[Options]) -> T.SlaReport:
        """Get the SLA report.

        Counted from the ledger.
        """
        return self._call("GET", f"/v1/exceptions/sla/report", options, query={"since": since, "until": until, "by": by})

    def export_sla_report(self, *, since: str, until: str, by: Optional[T.SlaReportGrouping] = None, format: Optional[T.ExportFormat] = None, **options: Unpack[Options]) -> Export:
        """Export the SLA report.

        Streams everything that matches the filters. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/exceptions/sla/report/export", options, query={"since": since, "until": until, "by": by, "format": format}, has_end_mark=True)

    def get_time_to_breach(self, **options: Unpack[Options]) -> T.TimeToBreach:
        """Count open exceptions by time to breach.

        All open exceptions of the tenant. The buckets of a risk add up to its count in the summary.
        """
        return self._call("GET", f"/v1/exceptions/sla/time-to-breach", options)

    def get(self, id: str, **options: Unpack[Options]) -> T.SlaException:
        """Get an exception.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._call("GET", f"/v1/exceptions/{segment('id', id)}", options)

    def update(self, id: str, body: Optional[T.UpdateExceptionRequest] = None, **options: Unpack[Options]) -> Union[T.SlaException, None]:
        """Change an exception.

        A JSON merge patch (RFC 7396). Allowed status changes: between open and in_review; from either to resolved or dismissed, with a resolution; from resolved or dismissed to open. Any other change returns 409.
        """
        return self._call("PATCH", f"/v1/exceptions/{segment('id', id)}", options, body=body)

    def list_comments(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.ExceptionComment]:
        """List an exception's comments, newest first.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._list("GET", f"/v1/exceptions/{segment('id', id)}/comments", options, query={"limit": limit, "cursor": cursor})

    def create_comment(self, id: str, body: T.CreateExceptionCommentRequest, **options: Unpack[Options]) -> T.ExceptionComment:
        """Comment on an exception.

        Closed exceptions can be commented too. Comments can't be changed or deleted. `<@user:leo>` in the body mentions a person; the event exception.commented lists the mentions. At most 1,000 comments on an exception.
        """
        return self._call("POST", f"/v1/exceptions/{segment('id', id)}/comments", options, body=body, takes_key=True)

    def list_history(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.ExceptionChange]:
        """List an exception's changes, newest first.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._list("GET", f"/v1/exceptions/{segment('id', id)}/history", options, query={"limit": limit, "cursor": cursor})

    def get_ledger(self, id: str, **options: Unpack[Options]) -> T.ExceptionLedger:
        """Get an exception's SLA timeline.

        Every change of the clock, in rows that add up, and why the exception breached or didn't.
        """
        return self._call("GET", f"/v1/exceptions/{segment('id', id)}/ledger", options)

    def pause(self, id: str, body: T.PauseExceptionRequest, **options: Unpack[Options]) -> Union[T.SlaException, None]:
        """Pause an exception's clock.

        While paused, it counts as on track, is listed last and crosses no threshold; due_at is the deadline it would have if resumed now. Closing it ends the pause. 409 if it is closed, paused or breached, or if the SLA policy allows no more pauses.
        """
        return self._call("POST", f"/v1/exceptions/{segment('id', id)}/pause", options, body=body, takes_key=True)

    def resume(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.SlaException, None]:
        """Resume an exception's clock.

        It has the time left that it had when paused. Thresholds passed before the pause send no second event.
        """
        return self._call("POST", f"/v1/exceptions/{segment('id', id)}/resume", options, body=body, takes_key=True)


class AsyncExceptions(AsyncResource):
    def list(self, *, limit: Optional[int] = None, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, updated_since: Optional[str] = None, status: Optional[Sequence[T.ExceptionStatus]] = None, sortBy: Optional[T.ExceptionSort] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.SlaException]:
        """List exceptions, newest first.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._list("GET", f"/v1/exceptions", options, query={"limit": limit, "assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "updated_since": updated_since, "status": status, "sortBy": sortBy, "cursor": cursor})

    async def create(self, body: T.CreateExceptionRequest, **options: Unpack[Options]) -> T.SlaException:
        """Create an exception.

        Without due_at, the tenant's SLA policy for the severity sets the deadline.
        """
        return await self._call("POST", f"/v1/exceptions", options, body=body, takes_key=True)

    async def update_many(self, body: T.UpdateExceptionsRequest, **options: Unpack[Options]) -> Union[T.BulkUpdate, None]:
        """Change many exceptions at once.

        Changes, pauses or resumes exceptions. With ids: at most 500, all or none; errors name the index in ids. With a filter: all open ones that match, fewer than 10,000. expected_count is how many you expect; if another number matches, the response is 409. Each call changes at most 500: repeat it with next_cursor as cursor until that is null. Exceptions that can't be changed are skipped and named.
        """
        return await self._call("POST", f"/v1/exceptions/bulk", options, body=body, takes_key=True)

    def export(self, *, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, updated_since: Optional[str] = None, status: Optional[Sequence[T.ExceptionStatus]] = None, sortBy: Optional[T.ExceptionSort] = None, format: Optional[T.ExportFormat] = None, **options: Unpack[Options]) -> AsyncExport:
        """Export exceptions, open or closed.

        Streams everything that matches the filters. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/exceptions/export", options, query={"assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "updated_since": updated_since, "status": status, "sortBy": sortBy, "format": format}, has_end_mark=True)

    async def import_(self, file: FileContent, **options: Unpack[Options]) -> T.ImportReport:
        """Import exceptions from a file.

        NDJSON, or CSV with a header row. The fields are those of creating one exception, with details as JSON. At most 100,000 rows and 64 MiB. Valid rows are created in batches as they arrive; the others are reported by line and reason. With an idempotency key, an interrupted import can be retried: no row is imported twice.
        """
        return await self._call("POST", f"/v1/exceptions/import", options, file=file, takes_key=True)

    def list_sla(self, *, limit: Optional[int] = None, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, status: Optional[Sequence[T.OpenExceptionStatus]] = None, sortBy: Optional[T.SlaSort] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.SlaItem]:
        """List open exceptions by time to breach.

        Open and in-review exceptions, with a summary of all of them. breach_risk: breached at 0 minutes or less, high below 60, medium from 60 to 240, low above. The weak ETag holds for at most a minute, while minutes_to_breach goes on.
        """
        return self._list("GET", f"/v1/exceptions/sla", options, query={"limit": limit, "assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "status": status, "sortBy": sortBy, "cursor": cursor})

    def list_sla_changes(self, *, since: str, limit: Optional[int] = None, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, status: Optional[Sequence[T.OpenExceptionStatus]] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.SlaChange]:
        """List what changed in the open exceptions.

        Keeps a list up to date. Send the list's filters and its as_of as since; follow next_cursor, then pass the first page's as_of next time, with its ETag. Each item has the current exception, or null if your filters no longer match it. Changes of breach_risk over time are included. Items can repeat, so apply them idempotently.
        """
        return self._list("GET", f"/v1/exceptions/sla/changes", options, query={"limit": limit, "assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "status": status, "since": since, "cursor": cursor})

    def export_sla(self, *, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, status: Optional[Sequence[T.OpenExceptionStatus]] = None, sortBy: Optional[T.SlaSort] = None, format: Optional[T.ExportFormat] = None, **options: Unpack[Options]) -> AsyncExport:
        """Export open exceptions.

        Streams everything that matches the filters. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/exceptions/sla/export", options, query={"assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "status": status, "sortBy": sortBy, "format": format}, has_end_mark=True)

    async def get_sla_facets(self, *, assigned_to: Optional[Sequence[str]] = None, reconciliation_id: Optional[Sequence[str]] = None, reason_code: Optional[Sequence[str]] = None, severity: Optional[Sequence[T.Severity]] = None, currency: Optional[Sequence[str]] = None, amount_from: Optional[int] = None, due_before: Optional[str] = None, breached_from: Optional[str] = None, breached_before: Optional[str] = None, closed_from: Optional[str] = None, closed_before: Optional[str] = None, q: Optional[str] = None, withinMinutes: Optional[int] = None, breach_risk: Optional[Sequence[T.BreachRiskFilter]] = None, status: Optional[Sequence[T.ExceptionStatus]] = None, state: Optional[Literal["open", "closed", "all"]] = None, **options: Unpack[Options]) -> T.SlaFacets:
        """Count exceptions by each filter's values.

        For each filter, how many exceptions have each of its values, among those that match all other filters. Counts the first 20,000; complete says whether that is all. A filter with many values has the 50 most frequent.
        """
        return await self._call("GET", f"/v1/exceptions/sla/facets", options, query={"assigned_to": assigned_to, "reconciliation_id": reconciliation_id, "reason_code": reason_code, "severity": severity, "currency": currency, "amount_from": amount_from, "due_before": due_before, "breached_from": breached_from, "breached_before": breached_before, "closed_from": closed_from, "closed_before": closed_before, "q": q, "withinMinutes": withinMinutes, "breach_risk": breach_risk, "status": status, "state": state})

    async def get_sla_report(self, *, since: str, until: str, by: Optional[T.SlaReportGrouping] = None, **options: Unpack[Options]) -> T.SlaReport:
        """Get the SLA report.

        Counted from the ledger.
        """
        return await self._call("GET", f"/v1/exceptions/sla/report", options, query={"since": since, "until": until, "by": by})

    def export_sla_report(self, *, since: str, until: str, by: Optional[T.SlaReportGrouping] = None, format: Optional[T.ExportFormat] = None, **options: Unpack[Options]) -> AsyncExport:
        """Export the SLA report.

        Streams everything that matches the filters. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/exceptions/sla/report/export", options, query={"since": since, "until": until, "by": by, "format": format}, has_end_mark=True)

    async def get_time_to_breach(self, **options: Unpack[Options]) -> T.TimeToBreach:
        """Count open exceptions by time to breach.

        All open exceptions of the tenant. The buckets of a risk add up to its count in the summary.
        """
        return await self._call("GET", f"/v1/exceptions/sla/time-to-breach", options)

    async def get(self, id: str, **options: Unpack[Options]) -> T.SlaException:
        """Get an exception.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return await self._call("GET", f"/v1/exceptions/{segment('id', id)}", options)

    async def update(self, id: str, body: Optional[T.UpdateExceptionRequest] = None, **options: Unpack[Options]) -> Union[T.SlaException, None]:
        """Change an exception.

        A JSON merge patch (RFC 7396). Allowed status changes: between open and in_review; from either to resolved or dismissed, with a resolution; from resolved or dismissed to open. Any other change returns 409.
        """
        return await self._call("PATCH", f"/v1/exceptions/{segment('id', id)}", options, body=body)

    def list_comments(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.ExceptionComment]:
        """List an exception's comments, newest first.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._list("GET", f"/v1/exceptions/{segment('id', id)}/comments", options, query={"limit": limit, "cursor": cursor})

    async def create_comment(self, id: str, body: T.CreateExceptionCommentRequest, **options: Unpack[Options]) -> T.ExceptionComment:
        """Comment on an exception.

        Closed exceptions can be commented too. Comments can't be changed or deleted. `<@user:leo>` in the body mentions a person; the event exception.commented lists the mentions. At most 1,000 comments on an exception.
        """
        return await self._call("POST", f"/v1/exceptions/{segment('id', id)}/comments", options, body=body, takes_key=True)

    def list_history(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.ExceptionChange]:
        """List an exception's changes, newest first.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._list("GET", f"/v1/exceptions/{segment('id', id)}/history", options, query={"limit": limit, "cursor": cursor})

    async def get_ledger(self, id: str, **options: Unpack[Options]) -> T.ExceptionLedger:
        """Get an exception's SLA timeline.

        Every change of the clock, in rows that add up, and why the exception breached or didn't.
        """
        return await self._call("GET", f"/v1/exceptions/{segment('id', id)}/ledger", options)

    async def pause(self, id: str, body: T.PauseExceptionRequest, **options: Unpack[Options]) -> Union[T.SlaException, None]:
        """Pause an exception's clock.

        While paused, it counts as on track, is listed last and crosses no threshold; due_at is the deadline it would have if resumed now. Closing it ends the pause. 409 if it is closed, paused or breached, or if the SLA policy allows no more pauses.
        """
        return await self._call("POST", f"/v1/exceptions/{segment('id', id)}/pause", options, body=body, takes_key=True)

    async def resume(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.SlaException, None]:
        """Resume an exception's clock.

        It has the time left that it had when paused. Thresholds passed before the pause send no second event.
        """
        return await self._call("POST", f"/v1/exceptions/{segment('id', id)}/resume", options, body=body, takes_key=True)


class FirstSteps(SyncResource):
    def get(self, **options: Unpack[Options]) -> T.FirstSteps:
        """Get onboarding progress: first key, first call, first webhook, first event received.

        Callers: `tenant_admin`.
        """
        return self._call("GET", f"/v1/first-steps", options)

    def put(self, body: T.PutFirstStepsRequest, **options: Unpack[Options]) -> T.FirstSteps:
        """Dismiss or restore the first steps.

        Only for you: other admins of the tenant still see them.
        """
        return self._call("PUT", f"/v1/first-steps", options, body=body)


class AsyncFirstSteps(AsyncResource):
    async def get(self, **options: Unpack[Options]) -> T.FirstSteps:
        """Get onboarding progress: first key, first call, first webhook, first event received.

        Callers: `tenant_admin`.
        """
        return await self._call("GET", f"/v1/first-steps", options)

    async def put(self, body: T.PutFirstStepsRequest, **options: Unpack[Options]) -> T.FirstSteps:
        """Dismiss or restore the first steps.

        Only for you: other admins of the tenant still see them.
        """
        return await self._call("PUT", f"/v1/first-steps", options, body=body)


class Holidays(SyncResource):
    def list(self, *, country: str, year: int, region: Optional[str] = None, **options: Unpack[Options]) -> T.Holidays:
        """Propose the holidays of a country.

        Public and bank holidays of one year, for you to review: nothing is added to a calendar until you send it as special_days. From date-holidays (CC BY 3.0).
        """
        return self._call("GET", f"/v1/holidays", options, query={"country": country, "region": region, "year": year})

    def list_countries(self, **options: Unpack[Options]) -> T.HolidayCountries:
        """List the countries whose holidays are known.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return self._call("GET", f"/v1/holidays/countries", options)


class AsyncHolidays(AsyncResource):
    async def list(self, *, country: str, year: int, region: Optional[str] = None, **options: Unpack[Options]) -> T.Holidays:
        """Propose the holidays of a country.

        Public and bank holidays of one year, for you to review: nothing is added to a calendar until you send it as special_days. From date-holidays (CC BY 3.0).
        """
        return await self._call("GET", f"/v1/holidays", options, query={"country": country, "region": region, "year": year})

    async def list_countries(self, **options: Unpack[Options]) -> T.HolidayCountries:
        """List the countries whose holidays are known.

        Callers: all roles; API keys with `read:exceptions`; the service-role key.
        """
        return await self._call("GET", f"/v1/holidays/countries", options)


class Imports(SyncResource):
    def list(self, *, limit: Optional[int] = None, source_id: Optional[str] = None, status: Optional[T.ImportStatus] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Import]:
        """List imports, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/imports", options, query={"limit": limit, "source_id": source_id, "status": status, "cursor": cursor})

    def get(self, id: str, **options: Unpack[Options]) -> T.Import:
        """Get an import.

        bytes_read and read_count show its progress.
        """
        return self._call("GET", f"/v1/imports/{segment('id', id)}", options)

    def undo(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Import, None]:
        """Undo an import.

        Removes its lines and undoes their matches; with more than 20,000 lines in the background, with the status undoing. Cancels an import that is queued or being read. Refused if a closed or archived period matched, excluded or carried forward one of its lines.
        """
        return self._call("POST", f"/v1/imports/{segment('id', id)}/undo", options, body=body, takes_key=True)


class AsyncImports(AsyncResource):
    def list(self, *, limit: Optional[int] = None, source_id: Optional[str] = None, status: Optional[T.ImportStatus] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Import]:
        """List imports, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/imports", options, query={"limit": limit, "source_id": source_id, "status": status, "cursor": cursor})

    async def get(self, id: str, **options: Unpack[Options]) -> T.Import:
        """Get an import.

        bytes_read and read_count show its progress.
        """
        return await self._call("GET", f"/v1/imports/{segment('id', id)}", options)

    async def undo(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Import, None]:
        """Undo an import.

        Removes its lines and undoes their matches; with more than 20,000 lines in the background, with the status undoing. Cancels an import that is queued or being read. Refused if a closed or archived period matched, excluded or carried forward one of its lines.
        """
        return await self._call("POST", f"/v1/imports/{segment('id', id)}/undo", options, body=body, takes_key=True)


class Integrations(SyncResource):
    def list(self, *, limit: Optional[int] = None, operation: Optional[str] = None, q: Optional[str] = None, updated_since: Optional[str] = None, include_deleted: Optional[T.DeletedFilter] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Integration]:
        """List integrations, newest first.

        Callers: all roles; API keys with `read:integrations`; the service-role key.
        """
        return self._list("GET", f"/v1/integrations", options, query={"limit": limit, "operation": operation, "q": q, "updated_since": updated_since, "include_deleted": include_deleted, "cursor": cursor})

    def create(self, body: Optional[T.CreateIntegrationRequest] = None, **options: Unpack[Options]) -> T.Integration:
        """Create an integration.

        Any JSON object, up to 64 kB. Other fields are stored as sent.
        """
        return self._call("POST", f"/v1/integrations", options, body=body, takes_key=True)

    def delete(self, id: str, **options: Unpack[Options]) -> Union[T.Integration, None]:
        """Delete an integration.

        A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
        """
        return self._call("DELETE", f"/v1/integrations/{segment('id', id)}", options)

    def get(self, id: str, *, include_deleted: Optional[bool] = None, **options: Unpack[Options]) -> T.Integration:
        """Get an integration.

        Callers: all roles; API keys with `read:integrations`; the service-role key.
        """
        return self._call("GET", f"/v1/integrations/{segment('id', id)}", options, query={"include_deleted": include_deleted})

    def update(self, id: str, body: Optional[T.UpdateIntegrationRequest] = None, **options: Unpack[Options]) -> Union[T.Integration, None]:
        """Change an integration.

        A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
        """
        return self._call("PATCH", f"/v1/integrations/{segment('id', id)}", options, body=body)

    def restore(self, id: str, body: Optional[T.IdempotentRecordRequest] = None, **options: Unpack[Options]) -> T.Integration:
        """Restore a deleted integration.

        Restoring a record that isn't deleted returns it unchanged.
        """
        return self._call("POST", f"/v1/integrations/{segment('id', id)}/restore", options, body=body, takes_key=True)


class AsyncIntegrations(AsyncResource):
    def list(self, *, limit: Optional[int] = None, operation: Optional[str] = None, q: Optional[str] = None, updated_since: Optional[str] = None, include_deleted: Optional[T.DeletedFilter] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Integration]:
        """List integrations, newest first.

        Callers: all roles; API keys with `read:integrations`; the service-role key.
        """
        return self._list("GET", f"/v1/integrations", options, query={"limit": limit, "operation": operation, "q": q, "updated_since": updated_since, "include_deleted": include_deleted, "cursor": cursor})

    async def create(self, body: Optional[T.CreateIntegrationRequest] = None, **options: Unpack[Options]) -> T.Integration:
        """Create an integration.

        Any JSON object, up to 64 kB. Other fields are stored as sent.
        """
        return await self._call("POST", f"/v1/integrations", options, body=body, takes_key=True)

    async def delete(self, id: str, **options: Unpack[Options]) -> Union[T.Integration, None]:
        """Delete an integration.

        A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
        """
        return await self._call("DELETE", f"/v1/integrations/{segment('id', id)}", options)

    async def get(self, id: str, *, include_deleted: Optional[bool] = None, **options: Unpack[Options]) -> T.Integration:
        """Get an integration.

        Callers: all roles; API keys with `read:integrations`; the service-role key.
        """
        return await self._call("GET", f"/v1/integrations/{segment('id', id)}", options, query={"include_deleted": include_deleted})

    async def update(self, id: str, body: Optional[T.UpdateIntegrationRequest] = None, **options: Unpack[Options]) -> Union[T.Integration, None]:
        """Change an integration.

        A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
        """
        return await self._call("PATCH", f"/v1/integrations/{segment('id', id)}", options, body=body)

    async def restore(self, id: str, body: Optional[T.IdempotentRecordRequest] = None, **options: Unpack[Options]) -> T.Integration:
        """Restore a deleted integration.

        Restoring a record that isn't deleted returns it unchanged.
        """
        return await self._call("POST", f"/v1/integrations/{segment('id', id)}/restore", options, body=body, takes_key=True)


class Invitations(SyncResource):
    def list(self, id: str, *, limit: Optional[int] = None, status: Optional[T.InvitationStatus] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Invitation]:
        """List invitations, newest first.

        Callers: `tenant_admin`.
        """
        return self._list("GET", f"/v1/tenants/{segment('id', id)}/invitations", options, query={"limit": limit, "status": status, "cursor": cursor})

    def create(self, id: str, body: T.CreateInvitationRequest, **options: Unpack[Options]) -> T.Invitation:
        """Invite someone by email.

        Mails a link that works once, for seven days. To accept it, a person sets a password or signs in. Only the mail has the link, and the response is the same whether or not the address has an account. A tenant can send 100 invitations an hour; 5 an hour and 10 a day to one address.
        """
        return self._call("POST", f"/v1/tenants/{segment('id', id)}/invitations", options, body=body, takes_key=True)

    def revoke(self, id: str, invitation_id: str, **options: Unpack[Options]) -> T.Invitation:
        """Revoke an invitation.

        Its link stops working at once. Revoking it again returns it unchanged.
        """
        return self._call("DELETE", f"/v1/tenants/{segment('id', id)}/invitations/{segment('invitation_id', invitation_id)}", options)

    def get(self, id: str, invitation_id: str, **options: Unpack[Options]) -> T.Invitation:
        """Get an invitation.

        Callers: `tenant_admin`.
        """
        return self._call("GET", f"/v1/tenants/{segment('id', id)}/invitations/{segment('invitation_id', invitation_id)}", options)

    def resend(self, id: str, invitation_id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.Invitation:
        """Send an invitation again.

        With a new link, valid for seven days; the previous one stops working. At most once a minute, 5 times an hour and 10 times a day.
        """
        return self._call("POST", f"/v1/tenants/{segment('id', id)}/invitations/{segment('invitation_id', invitation_id)}/resend", options, body=body, takes_key=True)


class AsyncInvitations(AsyncResource):
    def list(self, id: str, *, limit: Optional[int] = None, status: Optional[T.InvitationStatus] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Invitation]:
        """List invitations, newest first.

        Callers: `tenant_admin`.
        """
        return self._list("GET", f"/v1/tenants/{segment('id', id)}/invitations", options, query={"limit": limit, "status": status, "cursor": cursor})

    async def create(self, id: str, body: T.CreateInvitationRequest, **options: Unpack[Options]) -> T.Invitation:
        """Invite someone by email.

        Mails a link that works once, for seven days. To accept it, a person sets a password or signs in. Only the mail has the link, and the response is the same whether or not the address has an account. A tenant can send 100 invitations an hour; 5 an hour and 10 a day to one address.
        """
        return await self._call("POST", f"/v1/tenants/{segment('id', id)}/invitations", options, body=body, takes_key=True)

    async def revoke(self, id: str, invitation_id: str, **options: Unpack[Options]) -> T.Invitation:
        """Revoke an invitation.

        Its link stops working at once. Revoking it again returns it unchanged.
        """
        return await self._call("DELETE", f"/v1/tenants/{segment('id', id)}/invitations/{segment('invitation_id', invitation_id)}", options)

    async def get(self, id: str, invitation_id: str, **options: Unpack[Options]) -> T.Invitation:
        """Get an invitation.

        Callers: `tenant_admin`.
        """
        return await self._call("GET", f"/v1/tenants/{segment('id', id)}/invitations/{segment('invitation_id', invitation_id)}", options)

    async def resend(self, id: str, invitation_id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.Invitation:
        """Send an invitation again.

        With a new link, valid for seven days; the previous one stops working. At most once a minute, 5 times an hour and 10 times a day.
        """
        return await self._call("POST", f"/v1/tenants/{segment('id', id)}/invitations/{segment('invitation_id', invitation_id)}/resend", options, body=body, takes_key=True)


class Lines(SyncResource):
    def list(self, *, limit: Optional[int] = None, source_id: Optional[str] = None, reconciliation_id: Optional[str] = None, side: Optional[T.LineSide] = None, import_id: Optional[str] = None, state: Optional[Literal["open", "partly_matched", "matched", "excluded", "outstanding"]] = None, currency: Optional[str] = None, date_from: Optional[str] = None, date_to: Optional[str] = None, amount_from: Optional[int] = None, amount_to: Optional[int] = None, updated_since: Optional[str] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Line]:
        """List lines, latest value date first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/lines", options, query={"limit": limit, "source_id": source_id, "reconciliation_id": reconciliation_id, "side": side, "import_id": import_id, "state": state, "currency": currency, "date_from": date_from, "date_to": date_to, "amount_from": amount_from, "amount_to": amount_to, "updated_since": updated_since, "q": q, "cursor": cursor})

    def get(self, id: str, **options: Unpack[Options]) -> T.Line:
        """Get a line.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._call("GET", f"/v1/lines/{segment('id', id)}", options)

    def exclude(self, id: str, body: T.ExcludeLineRequest, **options: Unpack[Options]) -> Union[T.Line, None]:
        """Exclude a line from matching.

        Excludes its open amount with this reason, in the earliest open period that includes the line's day.
        """
        return self._call("POST", f"/v1/lines/{segment('id', id)}/exclude", options, body=body, takes_key=True)

    def list_history(self, id: str, **options: Unpack[Options]) -> T.LineHistory:
        """List a line's history.

        The latest 200 changes, oldest first: its arrival, matches created and undone, exclusions and exceptions, each with who did it.
        """
        return self._call("GET", f"/v1/lines/{segment('id', id)}/history", options)

    def include(self, id: str, body: T.IncludeLineRequest, **options: Unpack[Options]) -> Union[T.Line, None]:
        """Include an excluded line again.

        Opens it again in the period that it was excluded from.
        """
        return self._call("POST", f"/v1/lines/{segment('id', id)}/include", options, body=body, takes_key=True)

    def list_suggestions(self, id: str, *, reconciliation_id: Optional[str] = None, **options: Unpack[Options]) -> T.LineSuggestions:
        """Suggest counterparts for a line.

        Up to five open lines or groups of the other side, the most probable first, each with an explanation. Empty if the line isn't open.
        """
        return self._call("GET", f"/v1/lines/{segment('id', id)}/suggestions", options, query={"reconciliation_id": reconciliation_id})


class AsyncLines(AsyncResource):
    def list(self, *, limit: Optional[int] = None, source_id: Optional[str] = None, reconciliation_id: Optional[str] = None, side: Optional[T.LineSide] = None, import_id: Optional[str] = None, state: Optional[Literal["open", "partly_matched", "matched", "excluded", "outstanding"]] = None, currency: Optional[str] = None, date_from: Optional[str] = None, date_to: Optional[str] = None, amount_from: Optional[int] = None, amount_to: Optional[int] = None, updated_since: Optional[str] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Line]:
        """List lines, latest value date first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/lines", options, query={"limit": limit, "source_id": source_id, "reconciliation_id": reconciliation_id, "side": side, "import_id": import_id, "state": state, "currency": currency, "date_from": date_from, "date_to": date_to, "amount_from": amount_from, "amount_to": amount_to, "updated_since": updated_since, "q": q, "cursor": cursor})

    async def get(self, id: str, **options: Unpack[Options]) -> T.Line:
        """Get a line.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return await self._call("GET", f"/v1/lines/{segment('id', id)}", options)

    async def exclude(self, id: str, body: T.ExcludeLineRequest, **options: Unpack[Options]) -> Union[T.Line, None]:
        """Exclude a line from matching.

        Excludes its open amount with this reason, in the earliest open period that includes the line's day.
        """
        return await self._call("POST", f"/v1/lines/{segment('id', id)}/exclude", options, body=body, takes_key=True)

    async def list_history(self, id: str, **options: Unpack[Options]) -> T.LineHistory:
        """List a line's history.

        The latest 200 changes, oldest first: its arrival, matches created and undone, exclusions and exceptions, each with who did it.
        """
        return await self._call("GET", f"/v1/lines/{segment('id', id)}/history", options)

    async def include(self, id: str, body: T.IncludeLineRequest, **options: Unpack[Options]) -> Union[T.Line, None]:
        """Include an excluded line again.

        Opens it again in the period that it was excluded from.
        """
        return await self._call("POST", f"/v1/lines/{segment('id', id)}/include", options, body=body, takes_key=True)

    async def list_suggestions(self, id: str, *, reconciliation_id: Optional[str] = None, **options: Unpack[Options]) -> T.LineSuggestions:
        """Suggest counterparts for a line.

        Up to five open lines or groups of the other side, the most probable first, each with an explanation. Empty if the line isn't open.
        """
        return await self._call("GET", f"/v1/lines/{segment('id', id)}/suggestions", options, query={"reconciliation_id": reconciliation_id})


class Matches(SyncResource):
    def decide(self, body: T.DecideMatchesRequest, **options: Unpack[Options]) -> Union[T.MatchDecisions, None]:
        """Confirm, reject or undo many matches.

        All or none: at most 500 ids, or a filter with the number of matches that you expect, at most 5,000. It is one decision and is undone as one. Decisions by filter don't count towards automatic matching (earned). Undoing requires the right to write reconciliations.
        """
        return self._call("POST", f"/v1/matches/bulk", options, body=body, takes_key=True)

    def get(self, id: str, **options: Unpack[Options]) -> T.Match:
        """Get a match.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._call("GET", f"/v1/matches/{segment('id', id)}", options)

    def confirm(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Match, None]:
        """Confirm a suggested match.

        Its lines are matched, and other suggestions with one of them are removed. Later runs learn from it and don't change it.
        """
        return self._call("POST", f"/v1/matches/{segment('id', id)}/confirm", options, body=body, takes_key=True)

    def reject(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Match, None]:
        """Reject a suggested match.

        These lines aren't suggested together again.
        """
        return self._call("POST", f"/v1/matches/{segment('id', id)}/reject", options, body=body, takes_key=True)

    def undo(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Match, None]:
        """Undo a match.

        Its lines are open again, and exceptions that it resolved are reopened. No run repeats it.
        """
        return self._call("POST", f"/v1/matches/{segment('id', id)}/undo", options, body=body, takes_key=True)


class AsyncMatches(AsyncResource):
    async def decide(self, body: T.DecideMatchesRequest, **options: Unpack[Options]) -> Union[T.MatchDecisions, None]:
        """Confirm, reject or undo many matches.

        All or none: at most 500 ids, or a filter with the number of matches that you expect, at most 5,000. It is one decision and is undone as one. Decisions by filter don't count towards automatic matching (earned). Undoing requires the right to write reconciliations.
        """
        return await self._call("POST", f"/v1/matches/bulk", options, body=body, takes_key=True)

    async def get(self, id: str, **options: Unpack[Options]) -> T.Match:
        """Get a match.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return await self._call("GET", f"/v1/matches/{segment('id', id)}", options)

    async def confirm(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Match, None]:
        """Confirm a suggested match.

        Its lines are matched, and other suggestions with one of them are removed. Later runs learn from it and don't change it.
        """
        return await self._call("POST", f"/v1/matches/{segment('id', id)}/confirm", options, body=body, takes_key=True)

    async def reject(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Match, None]:
        """Reject a suggested match.

        These lines aren't suggested together again.
        """
        return await self._call("POST", f"/v1/matches/{segment('id', id)}/reject", options, body=body, takes_key=True)

    async def undo(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Match, None]:
        """Undo a match.

        Its lines are open again, and exceptions that it resolved are reopened. No run repeats it.
        """
        return await self._call("POST", f"/v1/matches/{segment('id', id)}/undo", options, body=body, takes_key=True)


class Me(SyncResource):
    def get(self, **options: Unpack[Options]) -> T.Me:
        """Get the caller and its tenant.

        Callers: any user of the tenant; all API keys; the publishable key; the service-role key.
        """
        return self._call("GET", f"/v1/me", options)

    def get_notification_settings(self, **options: Unpack[Options]) -> T.NotificationSettings:
        """Get your notification settings.

        Callers: all roles.
        """
        return self._call("GET", f"/v1/me/notifications", options)

    def put_notification_settings(self, body: T.PutNotificationSettingsRequest, **options: Unpack[Options]) -> T.NotificationSettings:
        """Change your notification settings.

        Your own settings in this tenant. Alerts of one kind are mailed at most once a minute.
        """
        return self._call("PUT", f"/v1/me/notifications", options, body=body)

    def list_sessions(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.UserSession]:
        """List your sessions.

        Your own active dashboard sessions, newest first, whichever tenant you name.
        """
        return self._list("GET", f"/v1/me/sessions", options, query={"limit": limit, "cursor": cursor})

    def end_sessions(self, body: Optional[T.EndSessionsRequest] = None, **options: Unpack[Options]) -> T.EndedSessions:
        """Sign out of all or some sessions.

        Ends all your dashboard sessions, including the one making this call, or only those in ids. Their cookies are refused within SESSION_CHECK_SECONDS (60).
        """
        return self._call("POST", f"/v1/me/sessions/end", options, body=body, takes_key=True)


class AsyncMe(AsyncResource):
    async def get(self, **options: Unpack[Options]) -> T.Me:
        """Get the caller and its tenant.

        Callers: any user of the tenant; all API keys; the publishable key; the service-role key.
        """
        return await self._call("GET", f"/v1/me", options)

    async def get_notification_settings(self, **options: Unpack[Options]) -> T.NotificationSettings:
        """Get your notification settings.

        Callers: all roles.
        """
        return await self._call("GET", f"/v1/me/notifications", options)

    async def put_notification_settings(self, body: T.PutNotificationSettingsRequest, **options: Unpack[Options]) -> T.NotificationSettings:
        """Change your notification settings.

        Your own settings in this tenant. Alerts of one kind are mailed at most once a minute.
        """
        return await self._call("PUT", f"/v1/me/notifications", options, body=body)

    def list_sessions(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.UserSession]:
        """List your sessions.

        Your own active dashboard sessions, newest first, whichever tenant you name.
        """
        return self._list("GET", f"/v1/me/sessions", options, query={"limit": limit, "cursor": cursor})

    async def end_sessions(self, body: Optional[T.EndSessionsRequest] = None, **options: Unpack[Options]) -> T.EndedSessions:
        """Sign out of all or some sessions.

        Ends all your dashboard sessions, including the one making this call, or only those in ids. Their cookies are refused within SESSION_CHECK_SECONDS (60).
        """
        return await self._call("POST", f"/v1/me/sessions/end", options, body=body, takes_key=True)


class Members(SyncResource):
    def list(self, *, limit: Optional[int] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Member]:
        """List possible assignees.

        Sorted by name: the tenant's members in Supabase Auth and everyone with an assigned exception. Users of another identity provider appear after their first assignment; assigned_to accepts any user:<name>.
        """
        return self._list("GET", f"/v1/members", options, query={"limit": limit, "q": q, "cursor": cursor})


class AsyncMembers(AsyncResource):
    def list(self, *, limit: Optional[int] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Member]:
        """List possible assignees.

        Sorted by name: the tenant's members in Supabase Auth and everyone with an assigned exception. Users of another identity provider appear after their first assignment; assigned_to accepts any user:<name>.
        """
        return self._list("GET", f"/v1/members", options, query={"limit": limit, "q": q, "cursor": cursor})


class Overview(SyncResource):
    def get(self, **options: Unpack[Options]) -> T.Overview:
        """Get the overview of a tenant: deadlines, money, imports, keys and webhooks.

        What the dashboard's home page shows. Sums come from counters, so it is just as fast with a million exceptions.
        """
        return self._call("GET", f"/v1/overview", options)


class AsyncOverview(AsyncResource):
    async def get(self, **options: Unpack[Options]) -> T.Overview:
        """Get the overview of a tenant: deadlines, money, imports, keys and webhooks.

        What the dashboard's home page shows. Sums come from counters, so it is just as fast with a million exceptions.
        """
        return await self._call("GET", f"/v1/overview", options)


class Reconciliations(SyncResource):
    def list(self, *, limit: Optional[int] = None, status: Optional[T.ReconciliationStatus] = None, period_from: Optional[str] = None, period_to: Optional[str] = None, left_source_id: Optional[str] = None, right_source_id: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Reconciliation]:
        """List reconciliations, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/reconciliations", options, query={"limit": limit, "status": status, "period_from": period_from, "period_to": period_to, "left_source_id": left_source_id, "right_source_id": right_source_id, "cursor": cursor})

    def create(self, body: T.CreateReconciliationRequest, **options: Unpack[Options]) -> T.Reconciliation:
        """Create a reconciliation.

        With left_source_id and right_source_id, it compares the lines of these sources: matched_count and unmatched_count are computed, and setting them returns a conflict. Periods of one pair of sources can't overlap. The first of a pair is preparing for about half a minute per million existing lines. Without sources, you send the counts.
        """
        return self._call("POST", f"/v1/reconciliations", options, body=body, takes_key=True)

    def get(self, id: str, **options: Unpack[Options]) -> T.Reconciliation:
        """Get a reconciliation.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._call("GET", f"/v1/reconciliations/{segment('id', id)}", options)

    def update(self, id: str, body: Optional[T.UpdateReconciliationRequest] = None, **options: Unpack[Options]) -> Union[T.Reconciliation, None]:
        """Change a reconciliation.

        Allowed status changes: between open and in_progress; between in_progress and completed; from any status to archived, which is final. With sources, closing completes it, and its name, dates and sources can't be changed afterwards.
        """
        return self._call("PATCH", f"/v1/reconciliations/{segment('id', id)}", options, body=body)

    def get_checklist(self, id: str, **options: Unpack[Options]) -> T.PeriodChecklist:
        """Get the checklist before a close.

        Computed now, for the caller. Items that block prevent signing and closing; `checks` in the pair's rules sets which ones do.
        """
        return self._call("GET", f"/v1/reconciliations/{segment('id', id)}/checklist", options)

    def close(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.Reconciliation:
        """Close a period.

        Requires that all lines are added (preparing is false), the proof holds, the statement has no difference, and earlier periods are closed; with four_eyes, a person who didn't work in this period. Lines that arrive during the close belong to the next period. Unconfirmed suggestions and open exceptions move with their lines to the next open period, or to the next one that is created. Afterwards nothing in the period changes.

        If its sources have more than 20,000 lines, the call returns at once with closing true. Poll until it is false: then the period is closed, or closing_failure says why not. The event reconciliation.closed follows the close. After a failure, close it again with a new Idempotency-Key. Only people close and reopen, never API keys.
        """
        return self._call("POST", f"/v1/reconciliations/{segment('id', id)}/close", options, body=body, takes_key=True)

    def list_decisions(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Decision]:
        """List decisions in a period, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/reconciliations/{segment('id', id)}/decisions", options, query={"limit": limit, "cursor": cursor})

    def preview_entries(self, id: str, body: Optional[T.PreviewEntriesRequest] = None, **options: Unpack[Options]) -> T.EntryPreview:
        """Preview the entries of a period.

        What an open period would post if it closed now, and a closed one if it closed again with nothing posted before. Without rules, it uses the pair's. Nothing is saved.
        """
        return self._call("POST", f"/v1/reconciliations/{segment('id', id)}/entries/preview", options, body=body, takes_key=True)

    def get_entry_rules(self, id: str, **options: Unpack[Options]) -> T.EntryRuleSet:
        """Get the entry rules of a period's sources.

        They belong to the pair of sources. A close uses the newest version.
        """
        return self._call("GET", f"/v1/reconciliations/{segment('id', id)}/entry-rules", options)

    def put_entry_rules(self, id: str, body: T.PutEntryRulesRequest, **options: Unpack[Options]) -> Union[T.EntryRuleSet, None]:
        """Set the entry rules of a period's sources.

        Creates a new version for future closes. Without ledger, its settings stay. Existing batches don't change; a reopened period uses the newest version at its next close.
        """
        return self._call("PUT", f"/v1/reconciliations/{segment('id', id)}/entry-rules", options, body=body)

    def list_matches(self, id: str, *, limit: Optional[int] = None, state: Optional[T.MatchState] = None, method: Optional[str] = None, shape: Optional[T.MatchShape] = None, run_id: Optional[str] = None, missing_evidence: Optional[bool] = None, line_id: Optional[str] = None, date_from: Optional[str] = None, date_to: Optional[str] = None, amount_from: Optional[int] = None, amount_to: Optional[int] = None, q: Optional[str] = None, updated_since: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Match]:
        """List a period's matches, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/reconciliations/{segment('id', id)}/matches", options, query={"limit": limit, "state": state, "method": method, "shape": shape, "run_id": run_id, "missing_evidence": missing_evidence, "line_id": line_id, "date_from": date_from, "date_to": date_to, "amount_from": amount_from, "amount_to": amount_to, "q": q, "updated_since": updated_since, "cursor": cursor})

    def create_match(self, id: str, body: T.CreateMatchRequest, **options: Unpack[Options]) -> T.Match:
        """Match lines manually.

        Matches the whole open amount of these lines. Adjustments must explain left − right to the minor unit, unless the lines' own fees explain it: those become one adjustment. Lines of one side must cancel each other out. An API key can't write off, and can adjust only within the tolerance of the rules. The lines of a side can add up to at most 2^53 − 1 in minor units.
        """
        return self._call("POST", f"/v1/reconciliations/{segment('id', id)}/matches", options, body=body, takes_key=True)

    def export_matches(self, id: str, *, state: Optional[T.MatchState] = None, method: Optional[str] = None, shape: Optional[T.MatchShape] = None, run_id: Optional[str] = None, missing_evidence: Optional[bool] = None, line_id: Optional[str] = None, date_from: Optional[str] = None, date_to: Optional[str] = None, amount_from: Optional[int] = None, amount_to: Optional[int] = None, q: Optional[str] = None, updated_since: Optional[str] = None, format: Optional[T.ExportFormat] = None, **options: Unpack[Options]) -> Export:
        """Export a period's matches.

        Streams everything that matches the filters, newest first, with one row for each line of a match. `amount` is the matched part of the line; it and `residual` are in major units. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/reconciliations/{segment('id', id)}/matches/export", options, query={"state": state, "method": method, "shape": shape, "run_id": run_id, "missing_evidence": missing_evidence, "line_id": line_id, "date_from": date_from, "date_to": date_to, "amount_from": amount_from, "amount_to": amount_to, "q": q, "updated_since": updated_since, "format": format}, has_end_mark=True)

    def list_open_lines(self, id: str, *, limit: Optional[int] = None, side: Optional[T.LineSide] = None, sort: Optional[Literal["value_date", "amount"]] = None, currency: Optional[str] = None, date_from: Optional[str] = None, date_to: Optional[str] = None, amount_from: Optional[int] = None, amount_to: Optional[int] = None, suggested: Optional[bool] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.OpenLine]:
        """List a period's open lines.

        Lines to work through, oldest or largest first, each with its best suggestion. Empty once the period is closed.
        """
        return self._list("GET", f"/v1/reconciliations/{segment('id', id)}/open-lines", options, query={"limit": limit, "side": side, "sort": sort, "currency": currency, "date_from": date_from, "date_to": date_to, "amount_from": amount_from, "amount_to": amount_to, "suggested": suggested, "q": q, "cursor": cursor})

    def prepare(self, id: str, body: Optional[T.PrepareReconciliationRequest] = None, **options: Unpack[Options]) -> T.Reconciliation:
        """Sign a period as prepared.

        Signs that its work is done. A new line, match, undo, exclusion or changed balance revokes the signature; `sign_off` then says why. Only people prepare, never API keys.
        """
        return self._call("POST", f"/v1/reconciliations/{segment('id', id)}/prepare", options, body=body, takes_key=True)

    def get_proof(self, id: str, **options: Unpack[Options]) -> T.PeriodProof:
        """Get the proof that no cent is missing.

        Per currency and side in minor units, summed from the lines themselves, with the signs of the statement. For a closed period as of its close, with `closing` saying whether it is still the same.
        """
        return self._call("GET", f"/v1/reconciliations/{segment('id', id)}/proof", options)

    def reopen(self, id: str, body: T.ReopenReconciliationRequest, **options: Unpack[Options]) -> T.Reconciliation:
        """Reopen a closed period.

        Later periods must be open. Its matches and signed statement are kept, and the next close signs another one. Suggestions and exceptions of its lines that nobody decided since the close return. Only people close and reopen, never API keys.
        """
        return self._call("POST", f"/v1/reconciliations/{segment('id', id)}/reopen", options, body=body, takes_key=True)

    def return_(self, id: str, body: T.ReturnReconciliationRequest, **options: Unpack[Options]) -> T.Reconciliation:
        """Send a signed period back.

        Revokes its signatures, which are kept with the reason.
        """
        return self._call("POST", f"/v1/reconciliations/{segment('id', id)}/return", options, body=body, takes_key=True)

    def review(self, id: str, body: Optional[T.ReviewReconciliationRequest] = None, **options: Unpack[Options]) -> T.Reconciliation:
        """Sign a prepared period as reviewed.

        At each level, someone other than the preparer and the earlier reviewers, by the issuer and subject of their tokens. `review_levels` in the pair's rules sets how many levels a close needs.
        """
        return self._call("POST", f"/v1/reconciliations/{segment('id', id)}/review", options, body=body, takes_key=True)

    def get_rules(self, id: str, **options: Unpack[Options]) -> T.RuleSet:
        """Get the rules of a period's sources.

        They belong to the pair of sources. All its open periods use the newest version.
        """
        return self._call("GET", f"/v1/reconciliations/{segment('id', id)}/rules", options)

    def put_rules(self, id: str, body: T.PutRulesRequest, **options: Unpack[Options]) -> Union[T.RuleSetChange, None]:
        """Set the rules of a period's sources.

        Creates a new version and runs open periods again with it. Omitted fields, other than rules, keep their values. With dry_run nothing is saved: the run's impact shows what would newly match, no longer match and change. reset_learning discards what was learned, forget_names only single names.
        """
        return self._call("PUT", f"/v1/reconciliations/{segment('id', id)}/rules", options, body=body)

    def list_runs(self, id: str, *, limit: Optional[int] = None, status: Optional[T.RunStatus] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Run]:
        """List a period's runs, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/reconciliations/{segment('id', id)}/runs", options, query={"limit": limit, "status": status, "cursor": cursor})

    def create_run(self, id: str, body: Optional[T.CreateRunRequest] = None, **options: Unpack[Options]) -> T.Run:
        """Run the rules.

        Runs of one pair of sources take turns, and wait while the reconciliation is preparing. If a run of this period is already waiting, it is returned. If nothing has changed since the last run, it ends at once with the same result. With dry_run nothing is saved: the run's impact shows what it would change, with other rules if you send them. A dry run of a closed period uses the lines that the period had.
        """
        return self._call("POST", f"/v1/reconciliations/{segment('id', id)}/runs", options, body=body, takes_key=True)

    def get_statement(self, id: str, **options: Unpack[Options]) -> T.ReconciliationStatement:
        """Get the reconciliation statement.

        Balances of both sides, outstanding items by age, adjustments, residuals, exclusions, and the difference. The sums in `balances` and `differences` include all periods up to this one; the items are this period's. For a closed period as of its close. While the reconciliation is preparing, missing lines are part of the difference.

        A line's amount is as posted, negated if its source is `inverted`. An amount of both sides (an adjustment, a residual, a difference) is left − right: positive if the left side is larger.
        """
        return self._call("GET", f"/v1/reconciliations/{segment('id', id)}/statement", options)

    def export_statement(self, id: str, *, matches: Optional[bool] = None, format: Optional[T.ExportFormatWithWorkbook] = None, **options: Unpack[Options]) -> Export:
        """Export a statement.

        The whole statement as one table; for a closed period it never changes. `kind` is the kind of row: `balance` (`item` names the sum), `outstanding` (`item` is receipt or payment), `adjustment` (`item` is its kind), `residual`, `exclusion`, and with `matches` also `match`, a row for each line of a match (`item` is the rule, or manual). `amount` is in major units and `amount_minor` in minor units; without a side they are left − right.

        A workbook (`xlsx`) has a sheet per kind, with amounts in major units. Amounts of more than 15 digits, which a spreadsheet would round, are text. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/reconciliations/{segment('id', id)}/statement/export", options, query={"matches": matches, "format": format}, has_end_mark=True)

    def get_statement_pdf(self, id: str, **options: Unpack[Options]) -> Export:
        """Get the statement as a PDF.

        For people: both sources, the signatures, the reconciliation of balances, outstanding items by age and by line, adjustments, residuals and exclusions, with the digest on each page. An open period's is marked as not closed.
        """
        return self._export("GET", f"/v1/reconciliations/{segment('id', id)}/statement/pdf", options)

    def list_signed_statements(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.StatementSignature]:
        """List a period's signed statements, newest first.

        Each close signs one, with the next number. Reopening the period keeps it and says who reopened it, when and why.
        """
        return self._list("GET", f"/v1/reconciliations/{segment('id', id)}/statements", options, query={"limit": limit, "cursor": cursor})

    def get_signed_statement(self, id: str, number: int, **options: Unpack[Options]) -> T.SignedStatement:
        """Get a signed statement.

        The statement as of this close.
        """
        return self._call("GET", f"/v1/reconciliations/{segment('id', id)}/statements/{segment('number', number)}", options)

    def get_statement_bundle(self, id: str, number: int, **options: Unpack[Options]) -> Export:
        """Get a signed statement with all that proves it.

        A zip of the statement, its matches, members, exclusions and carried lines, the hashes of its evidence, its entries for the ledger, the signatures, the rules and engine versions, and a verifier. For who may read the audit log, the slice of it that covers the close, with its signed checkpoint. `node verify.mjs bundle.zip` checks it offline, on Node 20 or newer, without anything installed: that lines are matched, excluded or open to the cent, and that digest, chain and signature agree.
        """
        return self._export("GET", f"/v1/reconciliations/{segment('id', id)}/statements/{segment('number', number)}/bundle", options)

    def list_suggestion_bands(self, id: str, **options: Unpack[Options]) -> T.SuggestionBands:
        """Group a period's suggestions by rule and score.

        The most probable first, each with its amounts and with past decisions: confirmed ÷ (confirmed + rejected) is the band's measured precision. Bulk decisions aren't counted.
        """
        return self._call("GET", f"/v1/reconciliations/{segment('id', id)}/suggestion-bands", options)

    def sample_suggestions(self, id: str, *, method: str, score_from: Optional[float] = None, score_below: Optional[float] = None, **options: Unpack[Options]) -> T.SuggestionSample:
        """Sample the suggestions of a band.

        At most 20, evenly spread from the least to the most probable. Confirm the band with POST /v1/matches/bulk, the same filter and this count.
        """
        return self._call("GET", f"/v1/reconciliations/{segment('id', id)}/suggestion-sample", options, query={"method": method, "score_from": score_from, "score_below": score_below})


class AsyncReconciliations(AsyncResource):
    def list(self, *, limit: Optional[int] = None, status: Optional[T.ReconciliationStatus] = None, period_from: Optional[str] = None, period_to: Optional[str] = None, left_source_id: Optional[str] = None, right_source_id: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Reconciliation]:
        """List reconciliations, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/reconciliations", options, query={"limit": limit, "status": status, "period_from": period_from, "period_to": period_to, "left_source_id": left_source_id, "right_source_id": right_source_id, "cursor": cursor})

    async def create(self, body: T.CreateReconciliationRequest, **options: Unpack[Options]) -> T.Reconciliation:
        """Create a reconciliation.

        With left_source_id and right_source_id, it compares the lines of these sources: matched_count and unmatched_count are computed, and setting them returns a conflict. Periods of one pair of sources can't overlap. The first of a pair is preparing for about half a minute per million existing lines. Without sources, you send the counts.
        """
        return await self._call("POST", f"/v1/reconciliations", options, body=body, takes_key=True)

    async def get(self, id: str, **options: Unpack[Options]) -> T.Reconciliation:
        """Get a reconciliation.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return await self._call("GET", f"/v1/reconciliations/{segment('id', id)}", options)

    async def update(self, id: str, body: Optional[T.UpdateReconciliationRequest] = None, **options: Unpack[Options]) -> Union[T.Reconciliation, None]:
        """Change a reconciliation.

        Allowed status changes: between open and in_progress; between in_progress and completed; from any status to archived, which is final. With sources, closing completes it, and its name, dates and sources can't be changed afterwards.
        """
        return await self._call("PATCH", f"/v1/reconciliations/{segment('id', id)}", options, body=body)

    async def get_checklist(self, id: str, **options: Unpack[Options]) -> T.PeriodChecklist:
        """Get the checklist before a close.

        Computed now, for the caller. Items that block prevent signing and closing; `checks` in the pair's rules sets which ones do.
        """
        return await self._call("GET", f"/v1/reconciliations/{segment('id', id)}/checklist", options)

    async def close(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.Reconciliation:
        """Close a period.

        Requires that all lines are added (preparing is false), the proof holds, the statement has no difference, and earlier periods are closed; with four_eyes, a person who didn't work in this period. Lines that arrive during the close belong to the next period. Unconfirmed suggestions and open exceptions move with their lines to the next open period, or to the next one that is created. Afterwards nothing in the period changes.

        If its sources have more than 20,000 lines, the call returns at once with closing true. Poll until it is false: then the period is closed, or closing_failure says why not. The event reconciliation.closed follows the close. After a failure, close it again with a new Idempotency-Key. Only people close and reopen, never API keys.
        """
        return await self._call("POST", f"/v1/reconciliations/{segment('id', id)}/close", options, body=body, takes_key=True)

    def list_decisions(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Decision]:
        """List decisions in a period, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/reconciliations/{segment('id', id)}/decisions", options, query={"limit": limit, "cursor": cursor})

    async def preview_entries(self, id: str, body: Optional[T.PreviewEntriesRequest] = None, **options: Unpack[Options]) -> T.EntryPreview:
        """Preview the entries of a period.

        What an open period would post if it closed now, and a closed one if it closed again with nothing posted before. Without rules, it uses the pair's. Nothing is saved.
        """
        return await self._call("POST", f"/v1/reconciliations/{segment('id', id)}/entries/preview", options, body=body, takes_key=True)

    async def get_entry_rules(self, id: str, **options: Unpack[Options]) -> T.EntryRuleSet:
        """Get the entry rules of a period's sources.

        They belong to the pair of sources. A close uses the newest version.
        """
        return await self._call("GET", f"/v1/reconciliations/{segment('id', id)}/entry-rules", options)

    async def put_entry_rules(self, id: str, body: T.PutEntryRulesRequest, **options: Unpack[Options]) -> Union[T.EntryRuleSet, None]:
        """Set the entry rules of a period's sources.

        Creates a new version for future closes. Without ledger, its settings stay. Existing batches don't change; a reopened period uses the newest version at its next close.
        """
        return await self._call("PUT", f"/v1/reconciliations/{segment('id', id)}/entry-rules", options, body=body)

    def list_matches(self, id: str, *, limit: Optional[int] = None, state: Optional[T.MatchState] = None, method: Optional[str] = None, shape: Optional[T.MatchShape] = None, run_id: Optional[str] = None, missing_evidence: Optional[bool] = None, line_id: Optional[str] = None, date_from: Optional[str] = None, date_to: Optional[str] = None, amount_from: Optional[int] = None, amount_to: Optional[int] = None, q: Optional[str] = None, updated_since: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Match]:
        """List a period's matches, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/reconciliations/{segment('id', id)}/matches", options, query={"limit": limit, "state": state, "method": method, "shape": shape, "run_id": run_id, "missing_evidence": missing_evidence, "line_id": line_id, "date_from": date_from, "date_to": date_to, "amount_from": amount_from, "amount_to": amount_to, "q": q, "updated_since": updated_since, "cursor": cursor})

    async def create_match(self, id: str, body: T.CreateMatchRequest, **options: Unpack[Options]) -> T.Match:
        """Match lines manually.

        Matches the whole open amount of these lines. Adjustments must explain left − right to the minor unit, unless the lines' own fees explain it: those become one adjustment. Lines of one side must cancel each other out. An API key can't write off, and can adjust only within the tolerance of the rules. The lines of a side can add up to at most 2^53 − 1 in minor units.
        """
        return await self._call("POST", f"/v1/reconciliations/{segment('id', id)}/matches", options, body=body, takes_key=True)

    def export_matches(self, id: str, *, state: Optional[T.MatchState] = None, method: Optional[str] = None, shape: Optional[T.MatchShape] = None, run_id: Optional[str] = None, missing_evidence: Optional[bool] = None, line_id: Optional[str] = None, date_from: Optional[str] = None, date_to: Optional[str] = None, amount_from: Optional[int] = None, amount_to: Optional[int] = None, q: Optional[str] = None, updated_since: Optional[str] = None, format: Optional[T.ExportFormat] = None, **options: Unpack[Options]) -> AsyncExport:
        """Export a period's matches.

        Streams everything that matches the filters, newest first, with one row for each line of a match. `amount` is the matched part of the line; it and `residual` are in major units. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/reconciliations/{segment('id', id)}/matches/export", options, query={"state": state, "method": method, "shape": shape, "run_id": run_id, "missing_evidence": missing_evidence, "line_id": line_id, "date_from": date_from, "date_to": date_to, "amount_from": amount_from, "amount_to": amount_to, "q": q, "updated_since": updated_since, "format": format}, has_end_mark=True)

    def list_open_lines(self, id: str, *, limit: Optional[int] = None, side: Optional[T.LineSide] = None, sort: Optional[Literal["value_date", "amount"]] = None, currency: Optional[str] = None, date_from: Optional[str] = None, date_to: Optional[str] = None, amount_from: Optional[int] = None, amount_to: Optional[int] = None, suggested: Optional[bool] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.OpenLine]:
        """List a period's open lines.

        Lines to work through, oldest or largest first, each with its best suggestion. Empty once the period is closed.
        """
        return self._list("GET", f"/v1/reconciliations/{segment('id', id)}/open-lines", options, query={"limit": limit, "side": side, "sort": sort, "currency": currency, "date_from": date_from, "date_to": date_to, "amount_from": amount_from, "amount_to": amount_to, "suggested": suggested, "q": q, "cursor": cursor})

    async def prepare(self, id: str, body: Optional[T.PrepareReconciliationRequest] = None, **options: Unpack[Options]) -> T.Reconciliation:
        """Sign a period as prepared.

        Signs that its work is done. A new line, match, undo, exclusion or changed balance revokes the signature; `sign_off` then says why. Only people prepare, never API keys.
        """
        return await self._call("POST", f"/v1/reconciliations/{segment('id', id)}/prepare", options, body=body, takes_key=True)

    async def get_proof(self, id: str, **options: Unpack[Options]) -> T.PeriodProof:
        """Get the proof that no cent is missing.

        Per currency and side in minor units, summed from the lines themselves, with the signs of the statement. For a closed period as of its close, with `closing` saying whether it is still the same.
        """
        return await self._call("GET", f"/v1/reconciliations/{segment('id', id)}/proof", options)

    async def reopen(self, id: str, body: T.ReopenReconciliationRequest, **options: Unpack[Options]) -> T.Reconciliation:
        """Reopen a closed period.

        Later periods must be open. Its matches and signed statement are kept, and the next close signs another one. Suggestions and exceptions of its lines that nobody decided since the close return. Only people close and reopen, never API keys.
        """
        return await self._call("POST", f"/v1/reconciliations/{segment('id', id)}/reopen", options, body=body, takes_key=True)

    async def return_(self, id: str, body: T.ReturnReconciliationRequest, **options: Unpack[Options]) -> T.Reconciliation:
        """Send a signed period back.

        Revokes its signatures, which are kept with the reason.
        """
        return await self._call("POST", f"/v1/reconciliations/{segment('id', id)}/return", options, body=body, takes_key=True)

    async def review(self, id: str, body: Optional[T.ReviewReconciliationRequest] = None, **options: Unpack[Options]) -> T.Reconciliation:
        """Sign a prepared period as reviewed.

        At each level, someone other than the preparer and the earlier reviewers, by the issuer and subject of their tokens. `review_levels` in the pair's rules sets how many levels a close needs.
        """
        return await self._call("POST", f"/v1/reconciliations/{segment('id', id)}/review", options, body=body, takes_key=True)

    async def get_rules(self, id: str, **options: Unpack[Options]) -> T.RuleSet:
        """Get the rules of a period's sources.

        They belong to the pair of sources. All its open periods use the newest version.
        """
        return await self._call("GET", f"/v1/reconciliations/{segment('id', id)}/rules", options)

    async def put_rules(self, id: str, body: T.PutRulesRequest, **options: Unpack[Options]) -> Union[T.RuleSetChange, None]:
        """Set the rules of a period's sources.

        Creates a new version and runs open periods again with it. Omitted fields, other than rules, keep their values. With dry_run nothing is saved: the run's impact shows what would newly match, no longer match and change. reset_learning discards what was learned, forget_names only single names.
        """
        return await self._call("PUT", f"/v1/reconciliations/{segment('id', id)}/rules", options, body=body)

    def list_runs(self, id: str, *, limit: Optional[int] = None, status: Optional[T.RunStatus] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Run]:
        """List a period's runs, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/reconciliations/{segment('id', id)}/runs", options, query={"limit": limit, "status": status, "cursor": cursor})

    async def create_run(self, id: str, body: Optional[T.CreateRunRequest] = None, **options: Unpack[Options]) -> T.Run:
        """Run the rules.

        Runs of one pair of sources take turns, and wait while the reconciliation is preparing. If a run of this period is already waiting, it is returned. If nothing has changed since the last run, it ends at once with the same result. With dry_run nothing is saved: the run's impact shows what it would change, with other rules if you send them. A dry run of a closed period uses the lines that the period had.
        """
        return await self._call("POST", f"/v1/reconciliations/{segment('id', id)}/runs", options, body=body, takes_key=True)

    async def get_statement(self, id: str, **options: Unpack[Options]) -> T.ReconciliationStatement:
        """Get the reconciliation statement.

        Balances of both sides, outstanding items by age, adjustments, residuals, exclusions, and the difference. The sums in `balances` and `differences` include all periods up to this one; the items are this period's. For a closed period as of its close. While the reconciliation is preparing, missing lines are part of the difference.

        A line's amount is as posted, negated if its source is `inverted`. An amount of both sides (an adjustment, a residual, a difference) is left − right: positive if the left side is larger.
        """
        return await self._call("GET", f"/v1/reconciliations/{segment('id', id)}/statement", options)

    def export_statement(self, id: str, *, matches: Optional[bool] = None, format: Optional[T.ExportFormatWithWorkbook] = None, **options: Unpack[Options]) -> AsyncExport:
        """Export a statement.

        The whole statement as one table; for a closed period it never changes. `kind` is the kind of row: `balance` (`item` names the sum), `outstanding` (`item` is receipt or payment), `adjustment` (`item` is its kind), `residual`, `exclusion`, and with `matches` also `match`, a row for each line of a match (`item` is the rule, or manual). `amount` is in major units and `amount_minor` in minor units; without a side they are left − right.

        A workbook (`xlsx`) has a sheet per kind, with amounts in major units. Amounts of more than 15 digits, which a spreadsheet would round, are text. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/reconciliations/{segment('id', id)}/statement/export", options, query={"matches": matches, "format": format}, has_end_mark=True)

    def get_statement_pdf(self, id: str, **options: Unpack[Options]) -> AsyncExport:
        """Get the statement as a PDF.

        For people: both sources, the signatures, the reconciliation of balances, outstanding items by age and by line, adjustments, residuals and exclusions, with the digest on each page. An open period's is marked as not closed.
        """
        return self._export("GET", f"/v1/reconciliations/{segment('id', id)}/statement/pdf", options)

    def list_signed_statements(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.StatementSignature]:
        """List a period's signed statements, newest first.

        Each close signs one, with the next number. Reopening the period keeps it and says who reopened it, when and why.
        """
        return self._list("GET", f"/v1/reconciliations/{segment('id', id)}/statements", options, query={"limit": limit, "cursor": cursor})

    async def get_signed_statement(self, id: str, number: int, **options: Unpack[Options]) -> T.SignedStatement:
        """Get a signed statement.

        The statement as of this close.
        """
        return await self._call("GET", f"/v1/reconciliations/{segment('id', id)}/statements/{segment('number', number)}", options)

    def get_statement_bundle(self, id: str, number: int, **options: Unpack[Options]) -> AsyncExport:
        """Get a signed statement with all that proves it.

        A zip of the statement, its matches, members, exclusions and carried lines, the hashes of its evidence, its entries for the ledger, the signatures, the rules and engine versions, and a verifier. For who may read the audit log, the slice of it that covers the close, with its signed checkpoint. `node verify.mjs bundle.zip` checks it offline, on Node 20 or newer, without anything installed: that lines are matched, excluded or open to the cent, and that digest, chain and signature agree.
        """
        return self._export("GET", f"/v1/reconciliations/{segment('id', id)}/statements/{segment('number', number)}/bundle", options)

    async def list_suggestion_bands(self, id: str, **options: Unpack[Options]) -> T.SuggestionBands:
        """Group a period's suggestions by rule and score.

        The most probable first, each with its amounts and with past decisions: confirmed ÷ (confirmed + rejected) is the band's measured precision. Bulk decisions aren't counted.
        """
        return await self._call("GET", f"/v1/reconciliations/{segment('id', id)}/suggestion-bands", options)

    async def sample_suggestions(self, id: str, *, method: str, score_from: Optional[float] = None, score_below: Optional[float] = None, **options: Unpack[Options]) -> T.SuggestionSample:
        """Sample the suggestions of a band.

        At most 20, evenly spread from the least to the most probable. Confirm the band with POST /v1/matches/bulk, the same filter and this count.
        """
        return await self._call("GET", f"/v1/reconciliations/{segment('id', id)}/suggestion-sample", options, query={"method": method, "score_from": score_from, "score_below": score_below})


class ReleaseNotes(SyncResource):
    def list(self, *, limit: Optional[int] = None, operation: Optional[str] = None, q: Optional[str] = None, updated_since: Optional[str] = None, include_deleted: Optional[T.DeletedFilter] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.ReleaseNote]:
        """List release notes, newest first.

        Callers: all roles; API keys with `read:release-notes`; the publishable key; the service-role key.
        """
        return self._list("GET", f"/v1/release-notes", options, query={"limit": limit, "operation": operation, "q": q, "updated_since": updated_since, "include_deleted": include_deleted, "cursor": cursor})

    def create(self, body: Optional[T.CreateReleaseNoteRequest] = None, **options: Unpack[Options]) -> T.ReleaseNote:
        """Create a release note.

        Any JSON object, up to 64 kB. Other fields are stored as sent.
        """
        return self._call("POST", f"/v1/release-notes", options, body=body, takes_key=True)

    def delete(self, id: str, **options: Unpack[Options]) -> Union[T.ReleaseNote, None]:
        """Delete a release note.

        A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
        """
        return self._call("DELETE", f"/v1/release-notes/{segment('id', id)}", options)

    def get(self, id: str, *, include_deleted: Optional[bool] = None, **options: Unpack[Options]) -> T.ReleaseNote:
        """Get a release note.

        Callers: all roles; API keys with `read:release-notes`; the publishable key; the service-role key.
        """
        return self._call("GET", f"/v1/release-notes/{segment('id', id)}", options, query={"include_deleted": include_deleted})

    def update(self, id: str, body: Optional[T.UpdateReleaseNoteRequest] = None, **options: Unpack[Options]) -> Union[T.ReleaseNote, None]:
        """Change a release note.

        A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
        """
        return self._call("PATCH", f"/v1/release-notes/{segment('id', id)}", options, body=body)

    def restore(self, id: str, body: Optional[T.IdempotentRecordRequest] = None, **options: Unpack[Options]) -> T.ReleaseNote:
        """Restore a deleted release note.

        Restoring a record that isn't deleted returns it unchanged.
        """
        return self._call("POST", f"/v1/release-notes/{segment('id', id)}/restore", options, body=body, takes_key=True)


class AsyncReleaseNotes(AsyncResource):
    def list(self, *, limit: Optional[int] = None, operation: Optional[str] = None, q: Optional[str] = None, updated_since: Optional[str] = None, include_deleted: Optional[T.DeletedFilter] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.ReleaseNote]:
        """List release notes, newest first.

        Callers: all roles; API keys with `read:release-notes`; the publishable key; the service-role key.
        """
        return self._list("GET", f"/v1/release-notes", options, query={"limit": limit, "operation": operation, "q": q, "updated_since": updated_since, "include_deleted": include_deleted, "cursor": cursor})

    async def create(self, body: Optional[T.CreateReleaseNoteRequest] = None, **options: Unpack[Options]) -> T.ReleaseNote:
        """Create a release note.

        Any JSON object, up to 64 kB. Other fields are stored as sent.
        """
        return await self._call("POST", f"/v1/release-notes", options, body=body, takes_key=True)

    async def delete(self, id: str, **options: Unpack[Options]) -> Union[T.ReleaseNote, None]:
        """Delete a release note.

        A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
        """
        return await self._call("DELETE", f"/v1/release-notes/{segment('id', id)}", options)

    async def get(self, id: str, *, include_deleted: Optional[bool] = None, **options: Unpack[Options]) -> T.ReleaseNote:
        """Get a release note.

        Callers: all roles; API keys with `read:release-notes`; the publishable key; the service-role key.
        """
        return await self._call("GET", f"/v1/release-notes/{segment('id', id)}", options, query={"include_deleted": include_deleted})

    async def update(self, id: str, body: Optional[T.UpdateReleaseNoteRequest] = None, **options: Unpack[Options]) -> Union[T.ReleaseNote, None]:
        """Change a release note.

        A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
        """
        return await self._call("PATCH", f"/v1/release-notes/{segment('id', id)}", options, body=body)

    async def restore(self, id: str, body: Optional[T.IdempotentRecordRequest] = None, **options: Unpack[Options]) -> T.ReleaseNote:
        """Restore a deleted release note.

        Restoring a record that isn't deleted returns it unchanged.
        """
        return await self._call("POST", f"/v1/release-notes/{segment('id', id)}/restore", options, body=body, takes_key=True)


class Requests(SyncResource):
    def list(self, *, limit: Optional[int] = None, status: Optional[T.CallResult] = None, operation: Optional[str] = None, credential: Optional[T.CallCredential] = None, api_key_id: Optional[str] = None, actor: Optional[str] = None, error_code: Optional[T.ErrorCode] = None, resource: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, request_id: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.LoggedRequest]:
        """List requests, newest first.

        Each API call, from about a second after its response, for 14 days. The dashboard's reads are logged only if they fail. Calls with a wrong secret are logged for the tenant whose API key they name.
        """
        return self._list("GET", f"/v1/requests", options, query={"limit": limit, "status": status, "operation": operation, "credential": credential, "api_key_id": api_key_id, "actor": actor, "error_code": error_code, "resource": resource, "since": since, "until": until, "request_id": request_id, "cursor": cursor})

    def get_stats(self, *, status: Optional[T.CallResult] = None, operation: Optional[str] = None, credential: Optional[T.CallCredential] = None, api_key_id: Optional[str] = None, actor: Optional[str] = None, error_code: Optional[T.ErrorCode] = None, resource: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, **options: Unpack[Options]) -> T.RequestStats:
        """Count requests over time.

        With response times. By default the last 24 hours.
        """
        return self._call("GET", f"/v1/requests/stats", options, query={"status": status, "operation": operation, "credential": credential, "api_key_id": api_key_id, "actor": actor, "error_code": error_code, "resource": resource, "since": since, "until": until})

    def get(self, id: str, **options: Unpack[Options]) -> T.LoggedRequestDetail:
        """Get a request with its headers and bodies.

        Credentials, secrets and idempotency keys are replaced by [redacted].
        """
        return self._call("GET", f"/v1/requests/{segment('id', id)}", options)


class AsyncRequests(AsyncResource):
    def list(self, *, limit: Optional[int] = None, status: Optional[T.CallResult] = None, operation: Optional[str] = None, credential: Optional[T.CallCredential] = None, api_key_id: Optional[str] = None, actor: Optional[str] = None, error_code: Optional[T.ErrorCode] = None, resource: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, request_id: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.LoggedRequest]:
        """List requests, newest first.

        Each API call, from about a second after its response, for 14 days. The dashboard's reads are logged only if they fail. Calls with a wrong secret are logged for the tenant whose API key they name.
        """
        return self._list("GET", f"/v1/requests", options, query={"limit": limit, "status": status, "operation": operation, "credential": credential, "api_key_id": api_key_id, "actor": actor, "error_code": error_code, "resource": resource, "since": since, "until": until, "request_id": request_id, "cursor": cursor})

    async def get_stats(self, *, status: Optional[T.CallResult] = None, operation: Optional[str] = None, credential: Optional[T.CallCredential] = None, api_key_id: Optional[str] = None, actor: Optional[str] = None, error_code: Optional[T.ErrorCode] = None, resource: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, **options: Unpack[Options]) -> T.RequestStats:
        """Count requests over time.

        With response times. By default the last 24 hours.
        """
        return await self._call("GET", f"/v1/requests/stats", options, query={"status": status, "operation": operation, "credential": credential, "api_key_id": api_key_id, "actor": actor, "error_code": error_code, "resource": resource, "since": since, "until": until})

    async def get(self, id: str, **options: Unpack[Options]) -> T.LoggedRequestDetail:
        """Get a request with its headers and bodies.

        Credentials, secrets and idempotency keys are replaced by [redacted].
        """
        return await self._call("GET", f"/v1/requests/{segment('id', id)}", options)


class Runs(SyncResource):
    def get(self, id: str, **options: Unpack[Options]) -> T.Run:
        """Get a run.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._call("GET", f"/v1/runs/{segment('id', id)}", options)


class AsyncRuns(AsyncResource):
    async def get(self, id: str, **options: Unpack[Options]) -> T.Run:
        """Get a run.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return await self._call("GET", f"/v1/runs/{segment('id', id)}", options)


class Sandbox(SyncResource):
    def create(self, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.Sandbox:
        """Create the tenant's sandbox.

        A tenant for testing. Its data and API keys (tks_test_…) are separate; its people are this tenant's. It sends no mail. If it already exists, it is returned.
        """
        return self._call("POST", f"/v1/sandbox", options, body=body, takes_key=True)

    def reset(self, body: Optional[T.ResetSandboxRequest] = None, **options: Unpack[Options]) -> T.Sandbox:
        """Reset a sandbox.

        Empties the sandbox in X-Tenant-Id, except API keys, webhooks, alert channels and logs. Refused for a live tenant.
        """
        return self._call("POST", f"/v1/sandbox/reset", options, body=body, takes_key=True)


class AsyncSandbox(AsyncResource):
    async def create(self, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> T.Sandbox:
        """Create the tenant's sandbox.

        A tenant for testing. Its data and API keys (tks_test_…) are separate; its people are this tenant's. It sends no mail. If it already exists, it is returned.
        """
        return await self._call("POST", f"/v1/sandbox", options, body=body, takes_key=True)

    async def reset(self, body: Optional[T.ResetSandboxRequest] = None, **options: Unpack[Options]) -> T.Sandbox:
        """Reset a sandbox.

        Empties the sandbox in X-Tenant-Id, except API keys, webhooks, alert channels and logs. Refused for a live tenant.
        """
        return await self._call("POST", f"/v1/sandbox/reset", options, body=body, takes_key=True)


class SecurityEvents(SyncResource):
    def list(self, *, limit: Optional[int] = None, type: Optional[str] = None, actor: Optional[str] = None, target: Optional[str] = None, q: Optional[str] = None, cross_tenant: Optional[bool] = None, since: Optional[str] = None, until: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.SecurityEvent]:
        """List security events, newest first.

        Callers: `tenant_admin` or `tenant_auditor`; API keys with `read:security-events`; the service-role key.
        """
        return self._list("GET", f"/v1/security-events", options, query={"limit": limit, "type": type, "actor": actor, "target": target, "q": q, "cross_tenant": cross_tenant, "since": since, "until": until, "cursor": cursor})

    def export(self, *, type: Optional[str] = None, actor: Optional[str] = None, target: Optional[str] = None, q: Optional[str] = None, cross_tenant: Optional[bool] = None, since: Optional[str] = None, until: Optional[str] = None, format: Optional[T.ExportFormat] = None, **options: Unpack[Options]) -> Export:
        """Export security events.

        Streams everything that matches the filters. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/security-events/export", options, query={"type": type, "actor": actor, "target": target, "q": q, "cross_tenant": cross_tenant, "since": since, "until": until, "format": format}, has_end_mark=True)

    def verify(self, **options: Unpack[Options]) -> T.ChainVerification:
        """Verify the audit log.

        Checks every event in the tenant's audit log against its signed states and returns the first one that fails.
        """
        return self._call("GET", f"/v1/security-events/verify", options)

    def get(self, id: str, **options: Unpack[Options]) -> T.SecurityEvent:
        """Get a security event.

        Callers: `tenant_admin` or `tenant_auditor`; API keys with `read:security-events`; the service-role key.
        """
        return self._call("GET", f"/v1/security-events/{segment('id', id)}", options)


class AsyncSecurityEvents(AsyncResource):
    def list(self, *, limit: Optional[int] = None, type: Optional[str] = None, actor: Optional[str] = None, target: Optional[str] = None, q: Optional[str] = None, cross_tenant: Optional[bool] = None, since: Optional[str] = None, until: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.SecurityEvent]:
        """List security events, newest first.

        Callers: `tenant_admin` or `tenant_auditor`; API keys with `read:security-events`; the service-role key.
        """
        return self._list("GET", f"/v1/security-events", options, query={"limit": limit, "type": type, "actor": actor, "target": target, "q": q, "cross_tenant": cross_tenant, "since": since, "until": until, "cursor": cursor})

    def export(self, *, type: Optional[str] = None, actor: Optional[str] = None, target: Optional[str] = None, q: Optional[str] = None, cross_tenant: Optional[bool] = None, since: Optional[str] = None, until: Optional[str] = None, format: Optional[T.ExportFormat] = None, **options: Unpack[Options]) -> AsyncExport:
        """Export security events.

        Streams everything that matches the filters. The export is recorded as a security event.
        """
        return self._export("GET", f"/v1/security-events/export", options, query={"type": type, "actor": actor, "target": target, "q": q, "cross_tenant": cross_tenant, "since": since, "until": until, "format": format}, has_end_mark=True)

    async def verify(self, **options: Unpack[Options]) -> T.ChainVerification:
        """Verify the audit log.

        Checks every event in the tenant's audit log against its signed states and returns the first one that fails.
        """
        return await self._call("GET", f"/v1/security-events/verify", options)

    async def get(self, id: str, **options: Unpack[Options]) -> T.SecurityEvent:
        """Get a security event.

        Callers: `tenant_admin` or `tenant_auditor`; API keys with `read:security-events`; the service-role key.
        """
        return await self._call("GET", f"/v1/security-events/{segment('id', id)}", options)


class SlaPolicy(SyncResource):
    def get(self, **options: Unpack[Options]) -> T.SlaPolicy:
        """Get the tenant's SLA policy.

        Callers: all roles; the service-role key.
        """
        return self._call("GET", f"/v1/sla-policy", options)

    def put(self, body: T.PutSlaPolicyRequest, **options: Unpack[Options]) -> T.SlaPolicyChange:
        """Set the tenant's SLA policy.

        With dry_run, nothing changes: the response previews the effect. New thresholds apply to upcoming deadlines. Deadlines already passed send no further events. Send the ETag you read in If-Match to avoid overwriting someone else's change.
        """
        return self._call("PUT", f"/v1/sla-policy", options, body=body)


class AsyncSlaPolicy(AsyncResource):
    async def get(self, **options: Unpack[Options]) -> T.SlaPolicy:
        """Get the tenant's SLA policy.

        Callers: all roles; the service-role key.
        """
        return await self._call("GET", f"/v1/sla-policy", options)

    async def put(self, body: T.PutSlaPolicyRequest, **options: Unpack[Options]) -> T.SlaPolicyChange:
        """Set the tenant's SLA policy.

        With dry_run, nothing changes: the response previews the effect. New thresholds apply to upcoming deadlines. Deadlines already passed send no further events. Send the ETag you read in If-Match to avoid overwriting someone else's change.
        """
        return await self._call("PUT", f"/v1/sla-policy", options, body=body)


class Sources(SyncResource):
    def list(self, *, limit: Optional[int] = None, kind: Optional[T.SourceKind] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Source]:
        """List sources, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/sources", options, query={"limit": limit, "kind": kind, "q": q, "cursor": cursor})

    def create(self, body: T.CreateSourceRequest, **options: Unpack[Options]) -> T.Source:
        """Create a source.

        Where lines come from: a bank account's statements, a ledger account, a processor's payouts.
        """
        return self._call("POST", f"/v1/sources", options, body=body, takes_key=True)

    def get(self, id: str, **options: Unpack[Options]) -> T.Source:
        """Get a source.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._call("GET", f"/v1/sources/{segment('id', id)}", options)

    def update(self, id: str, body: Optional[T.UpdateSourceRequest] = None, **options: Unpack[Options]) -> Union[T.Source, None]:
        """Change a source.

        The mapping is replaced as a whole. Currency and sign can't change once the source has lines or is importing some.
        """
        return self._call("PATCH", f"/v1/sources/{segment('id', id)}", options, body=body)

    def list_balances(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.SourceBalance]:
        """List the balances of a source, newest first.

        The statements in its files, with their opening and closing balances, and balances that were recorded individually. Periods are reconciled against them.
        """
        return self._list("GET", f"/v1/sources/{segment('id', id)}/balances", options, query={"limit": limit, "cursor": cursor})

    def state_balance(self, id: str, body: T.StateSourceBalanceRequest, **options: Unpack[Options]) -> T.SourceBalance:
        """Record a balance of a source.

        For a source whose files have no balances, such as a ledger. The newest balance of a day counts.
        """
        return self._call("POST", f"/v1/sources/{segment('id', id)}/balances", options, body=body, takes_key=True)

    def remove_balance(self, id: str, balance_id: str, **options: Unpack[Options]) -> Union[T.SourceBalance, None]:
        """Remove a recorded balance.

        A balance from a file is removed by undoing the import.
        """
        return self._call("DELETE", f"/v1/sources/{segment('id', id)}/balances/{segment('balance_id', balance_id)}", options)

    def get_balance(self, id: str, balance_id: str, **options: Unpack[Options]) -> T.SourceBalance:
        """Get a balance of a source.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._call("GET", f"/v1/sources/{segment('id', id)}/balances/{segment('balance_id', balance_id)}", options)

    def create_import(self, id: str, file: FileContent, *, format: Optional[T.ImportFormat] = None, preview: Optional[bool] = None, file_name: Optional[str] = None, mapping: Optional[str] = None, **options: Unpack[Options]) -> Union[T.ImportPreview, T.Import]:
        """Import a file of lines.

        The file is the body: CSV, an Excel workbook (.xlsx, up to 32 MiB), NDJSON, JSON, camt.052, 053 or 054, MT940 or MT942, BAI2, OFX; also compressed with gzip, or alone in a zip. The format is detected; a workbook's sheet is read as CSV. It is read in the background and saved completely or not at all. Lines that were imported before count as duplicates, so repeated files and overlapping statements do no harm. At most 1 GiB and 5 million lines. With preview=true nothing is saved: the response shows what the import would do.
        """
        return self._call("POST", f"/v1/sources/{segment('id', id)}/imports", options, query={"format": format, "preview": preview, "file_name": file_name, "mapping": mapping}, file=file, takes_key=True)

    def add_lines(self, id: str, body: T.AddLinesRequest, **options: Unpack[Options]) -> T.AddedLines:
        """Add lines to a source.

        Existing lines are duplicates and change nothing. They are recognised by external_id, or by content and position among equal lines of the call. One invalid line rejects the whole call.
        """
        return self._call("POST", f"/v1/sources/{segment('id', id)}/lines", options, body=body, takes_key=True)


class AsyncSources(AsyncResource):
    def list(self, *, limit: Optional[int] = None, kind: Optional[T.SourceKind] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Source]:
        """List sources, newest first.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return self._list("GET", f"/v1/sources", options, query={"limit": limit, "kind": kind, "q": q, "cursor": cursor})

    async def create(self, body: T.CreateSourceRequest, **options: Unpack[Options]) -> T.Source:
        """Create a source.

        Where lines come from: a bank account's statements, a ledger account, a processor's payouts.
        """
        return await self._call("POST", f"/v1/sources", options, body=body, takes_key=True)

    async def get(self, id: str, **options: Unpack[Options]) -> T.Source:
        """Get a source.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return await self._call("GET", f"/v1/sources/{segment('id', id)}", options)

    async def update(self, id: str, body: Optional[T.UpdateSourceRequest] = None, **options: Unpack[Options]) -> Union[T.Source, None]:
        """Change a source.

        The mapping is replaced as a whole. Currency and sign can't change once the source has lines or is importing some.
        """
        return await self._call("PATCH", f"/v1/sources/{segment('id', id)}", options, body=body)

    def list_balances(self, id: str, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.SourceBalance]:
        """List the balances of a source, newest first.

        The statements in its files, with their opening and closing balances, and balances that were recorded individually. Periods are reconciled against them.
        """
        return self._list("GET", f"/v1/sources/{segment('id', id)}/balances", options, query={"limit": limit, "cursor": cursor})

    async def state_balance(self, id: str, body: T.StateSourceBalanceRequest, **options: Unpack[Options]) -> T.SourceBalance:
        """Record a balance of a source.

        For a source whose files have no balances, such as a ledger. The newest balance of a day counts.
        """
        return await self._call("POST", f"/v1/sources/{segment('id', id)}/balances", options, body=body, takes_key=True)

    async def remove_balance(self, id: str, balance_id: str, **options: Unpack[Options]) -> Union[T.SourceBalance, None]:
        """Remove a recorded balance.

        A balance from a file is removed by undoing the import.
        """
        return await self._call("DELETE", f"/v1/sources/{segment('id', id)}/balances/{segment('balance_id', balance_id)}", options)

    async def get_balance(self, id: str, balance_id: str, **options: Unpack[Options]) -> T.SourceBalance:
        """Get a balance of a source.

        Callers: all roles; API keys with `read:reconciliations`; the service-role key.
        """
        return await self._call("GET", f"/v1/sources/{segment('id', id)}/balances/{segment('balance_id', balance_id)}", options)

    async def create_import(self, id: str, file: FileContent, *, format: Optional[T.ImportFormat] = None, preview: Optional[bool] = None, file_name: Optional[str] = None, mapping: Optional[str] = None, **options: Unpack[Options]) -> Union[T.ImportPreview, T.Import]:
        """Import a file of lines.

        The file is the body: CSV, an Excel workbook (.xlsx, up to 32 MiB), NDJSON, JSON, camt.052, 053 or 054, MT940 or MT942, BAI2, OFX; also compressed with gzip, or alone in a zip. The format is detected; a workbook's sheet is read as CSV. It is read in the background and saved completely or not at all. Lines that were imported before count as duplicates, so repeated files and overlapping statements do no harm. At most 1 GiB and 5 million lines. With preview=true nothing is saved: the response shows what the import would do.
        """
        return await self._call("POST", f"/v1/sources/{segment('id', id)}/imports", options, query={"format": format, "preview": preview, "file_name": file_name, "mapping": mapping}, file=file, takes_key=True)

    async def add_lines(self, id: str, body: T.AddLinesRequest, **options: Unpack[Options]) -> T.AddedLines:
        """Add lines to a source.

        Existing lines are duplicates and change nothing. They are recognised by external_id, or by content and position among equal lines of the call. One invalid line rejects the whole call.
        """
        return await self._call("POST", f"/v1/sources/{segment('id', id)}/lines", options, body=body, takes_key=True)


class TenantMembers(SyncResource):
    def list(self, id: str, *, limit: Optional[int] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.TenantMember]:
        """List a tenant's members.

        The tenant's accounts in Supabase Auth, sorted by email address. People who sign in with another identity provider aren't listed here.
        """
        return self._list("GET", f"/v1/tenants/{segment('id', id)}/members", options, query={"limit": limit, "q": q, "cursor": cursor})

    def remove(self, id: str, member_id: str, body: Optional[T.RemoveTenantMemberRequest] = None, **options: Unpack[Options]) -> T.RemoveTenantMemberResult:
        """Remove a member.

        Ends their access to the tenant, and their sessions if they have no other tenant: at once in the process that served the call, within SESSION_CHECK_SECONDS (60) in all others, for cookies and tokens. The account itself stays. The last admin can't be removed.
        """
        return self._call("DELETE", f"/v1/tenants/{segment('id', id)}/members/{segment('member_id', member_id)}", options, body=body, takes_key=True)

    def get(self, id: str, member_id: str, **options: Unpack[Options]) -> T.TenantMember:
        """Get a member.

        Callers: `tenant_admin`.
        """
        return self._call("GET", f"/v1/tenants/{segment('id', id)}/members/{segment('member_id', member_id)}", options)

    def update(self, id: str, member_id: str, body: T.UpdateTenantMemberRequest, **options: Unpack[Options]) -> T.TenantMember:
        """Change a member's roles.

        Takes effect at once in the process that served the call, and within SESSION_CHECK_SECONDS (60) in all others. A tenant keeps at least one admin: demoting the last one returns a conflict.
        """
        return self._call("PATCH", f"/v1/tenants/{segment('id', id)}/members/{segment('member_id', member_id)}", options, body=body)


class AsyncTenantMembers(AsyncResource):
    def list(self, id: str, *, limit: Optional[int] = None, q: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.TenantMember]:
        """List a tenant's members.

        The tenant's accounts in Supabase Auth, sorted by email address. People who sign in with another identity provider aren't listed here.
        """
        return self._list("GET", f"/v1/tenants/{segment('id', id)}/members", options, query={"limit": limit, "q": q, "cursor": cursor})

    async def remove(self, id: str, member_id: str, body: Optional[T.RemoveTenantMemberRequest] = None, **options: Unpack[Options]) -> T.RemoveTenantMemberResult:
        """Remove a member.

        Ends their access to the tenant, and their sessions if they have no other tenant: at once in the process that served the call, within SESSION_CHECK_SECONDS (60) in all others, for cookies and tokens. The account itself stays. The last admin can't be removed.
        """
        return await self._call("DELETE", f"/v1/tenants/{segment('id', id)}/members/{segment('member_id', member_id)}", options, body=body, takes_key=True)

    async def get(self, id: str, member_id: str, **options: Unpack[Options]) -> T.TenantMember:
        """Get a member.

        Callers: `tenant_admin`.
        """
        return await self._call("GET", f"/v1/tenants/{segment('id', id)}/members/{segment('member_id', member_id)}", options)

    async def update(self, id: str, member_id: str, body: T.UpdateTenantMemberRequest, **options: Unpack[Options]) -> T.TenantMember:
        """Change a member's roles.

        Takes effect at once in the process that served the call, and within SESSION_CHECK_SECONDS (60) in all others. A tenant keeps at least one admin: demoting the last one returns a conflict.
        """
        return await self._call("PATCH", f"/v1/tenants/{segment('id', id)}/members/{segment('member_id', member_id)}", options, body=body)


class Troubleshooting(SyncResource):
    def list(self, *, limit: Optional[int] = None, operation: Optional[str] = None, q: Optional[str] = None, updated_since: Optional[str] = None, include_deleted: Optional[T.DeletedFilter] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.TroubleshootingGuide]:
        """List troubleshooting, newest first.

        Callers: all roles; API keys with `read:troubleshooting`; the publishable key; the service-role key.
        """
        return self._list("GET", f"/v1/troubleshooting", options, query={"limit": limit, "operation": operation, "q": q, "updated_since": updated_since, "include_deleted": include_deleted, "cursor": cursor})

    def create(self, body: Optional[T.CreateTroubleshootingGuideRequest] = None, **options: Unpack[Options]) -> T.TroubleshootingGuide:
        """Create a troubleshooting guide.

        Any JSON object, up to 64 kB. Other fields are stored as sent.
        """
        return self._call("POST", f"/v1/troubleshooting", options, body=body, takes_key=True)

    def delete(self, id: str, **options: Unpack[Options]) -> Union[T.TroubleshootingGuide, None]:
        """Delete a troubleshooting guide.

        A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
        """
        return self._call("DELETE", f"/v1/troubleshooting/{segment('id', id)}", options)

    def get(self, id: str, *, include_deleted: Optional[bool] = None, **options: Unpack[Options]) -> T.TroubleshootingGuide:
        """Get a troubleshooting guide.

        Callers: all roles; API keys with `read:troubleshooting`; the publishable key; the service-role key.
        """
        return self._call("GET", f"/v1/troubleshooting/{segment('id', id)}", options, query={"include_deleted": include_deleted})

    def update(self, id: str, body: Optional[T.UpdateTroubleshootingGuideRequest] = None, **options: Unpack[Options]) -> Union[T.TroubleshootingGuide, None]:
        """Change a troubleshooting guide.

        A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
        """
        return self._call("PATCH", f"/v1/troubleshooting/{segment('id', id)}", options, body=body)

    def restore(self, id: str, body: Optional[T.IdempotentRecordRequest] = None, **options: Unpack[Options]) -> T.TroubleshootingGuide:
        """Restore a deleted troubleshooting guide.

        Restoring a record that isn't deleted returns it unchanged.
        """
        return self._call("POST", f"/v1/troubleshooting/{segment('id', id)}/restore", options, body=body, takes_key=True)


class AsyncTroubleshooting(AsyncResource):
    def list(self, *, limit: Optional[int] = None, operation: Optional[str] = None, q: Optional[str] = None, updated_since: Optional[str] = None, include_deleted: Optional[T.DeletedFilter] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.TroubleshootingGuide]:
        """List troubleshooting, newest first.

        Callers: all roles; API keys with `read:troubleshooting`; the publishable key; the service-role key.
        """
        return self._list("GET", f"/v1/troubleshooting", options, query={"limit": limit, "operation": operation, "q": q, "updated_since": updated_since, "include_deleted": include_deleted, "cursor": cursor})

    async def create(self, body: Optional[T.CreateTroubleshootingGuideRequest] = None, **options: Unpack[Options]) -> T.TroubleshootingGuide:
        """Create a troubleshooting guide.

        Any JSON object, up to 64 kB. Other fields are stored as sent.
        """
        return await self._call("POST", f"/v1/troubleshooting", options, body=body, takes_key=True)

    async def delete(self, id: str, **options: Unpack[Options]) -> Union[T.TroubleshootingGuide, None]:
        """Delete a troubleshooting guide.

        A soft delete: a tenant admin can restore the record until purge_at, 30 days later.
        """
        return await self._call("DELETE", f"/v1/troubleshooting/{segment('id', id)}", options)

    async def get(self, id: str, *, include_deleted: Optional[bool] = None, **options: Unpack[Options]) -> T.TroubleshootingGuide:
        """Get a troubleshooting guide.

        Callers: all roles; API keys with `read:troubleshooting`; the publishable key; the service-role key.
        """
        return await self._call("GET", f"/v1/troubleshooting/{segment('id', id)}", options, query={"include_deleted": include_deleted})

    async def update(self, id: str, body: Optional[T.UpdateTroubleshootingGuideRequest] = None, **options: Unpack[Options]) -> Union[T.TroubleshootingGuide, None]:
        """Change a troubleshooting guide.

        A JSON merge patch (RFC 7396): null removes a field. Send the ETag you read in If-Match to avoid overwriting someone else's change.
        """
        return await self._call("PATCH", f"/v1/troubleshooting/{segment('id', id)}", options, body=body)

    async def restore(self, id: str, body: Optional[T.IdempotentRecordRequest] = None, **options: Unpack[Options]) -> T.TroubleshootingGuide:
        """Restore a deleted troubleshooting guide.

        Restoring a record that isn't deleted returns it unchanged.
        """
        return await self._call("POST", f"/v1/troubleshooting/{segment('id', id)}/restore", options, body=body, takes_key=True)


class Views(SyncResource):
    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.View]:
        """List your views and those shared with you, oldest first.

        Callers: all roles.
        """
        return self._list("GET", f"/v1/views", options, query={"limit": limit, "cursor": cursor})

    def create(self, body: T.CreateViewRequest, **options: Unpack[Options]) -> T.View:
        """Save a view.

        A view is a named set of exception filters. A person can have at most 50.
        """
        return self._call("POST", f"/v1/views", options, body=body, takes_key=True)

    def delete(self, id: str, **options: Unpack[Options]) -> T.DeletedView:
        """Delete a view.

        Can't be undone. A shared view can be deleted by its creator or an admin.
        """
        return self._call("DELETE", f"/v1/views/{segment('id', id)}", options)

    def get(self, id: str, **options: Unpack[Options]) -> T.View:
        """Get a view.

        Callers: all roles.
        """
        return self._call("GET", f"/v1/views/{segment('id', id)}", options)

    def update(self, id: str, body: Optional[T.UpdateViewRequest] = None, **options: Unpack[Options]) -> T.View:
        """Change a view.

        A JSON merge patch (RFC 7396), except that filters are replaced as a whole. A shared view can be changed by its creator or an admin.
        """
        return self._call("PATCH", f"/v1/views/{segment('id', id)}", options, body=body)


class AsyncViews(AsyncResource):
    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.View]:
        """List your views and those shared with you, oldest first.

        Callers: all roles.
        """
        return self._list("GET", f"/v1/views", options, query={"limit": limit, "cursor": cursor})

    async def create(self, body: T.CreateViewRequest, **options: Unpack[Options]) -> T.View:
        """Save a view.

        A view is a named set of exception filters. A person can have at most 50.
        """
        return await self._call("POST", f"/v1/views", options, body=body, takes_key=True)

    async def delete(self, id: str, **options: Unpack[Options]) -> T.DeletedView:
        """Delete a view.

        Can't be undone. A shared view can be deleted by its creator or an admin.
        """
        return await self._call("DELETE", f"/v1/views/{segment('id', id)}", options)

    async def get(self, id: str, **options: Unpack[Options]) -> T.View:
        """Get a view.

        Callers: all roles.
        """
        return await self._call("GET", f"/v1/views/{segment('id', id)}", options)

    async def update(self, id: str, body: Optional[T.UpdateViewRequest] = None, **options: Unpack[Options]) -> T.View:
        """Change a view.

        A JSON merge patch (RFC 7396), except that filters are replaced as a whole. A shared view can be changed by its creator or an admin.
        """
        return await self._call("PATCH", f"/v1/views/{segment('id', id)}", options, body=body)


class WebhookDeliveries(SyncResource):
    def list(self, *, limit: Optional[int] = None, webhook_id: Optional[str] = None, status: Optional[T.WebhookDeliveryStatus] = None, type: Optional[T.EventKind] = None, event_id: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, request_id: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.WebhookDelivery]:
        """List all webhooks' deliveries, newest first.

        Deliveries are kept for 30 days.
        """
        return self._list("GET", f"/v1/webhook-deliveries", options, query={"limit": limit, "webhook_id": webhook_id, "status": status, "type": type, "event_id": event_id, "since": since, "until": until, "request_id": request_id, "cursor": cursor})

    def get_stats(self, **options: Unpack[Options]) -> T.WebhookStats:
        """Count all webhooks' attempts by hour.

        With response times.
        """
        return self._call("GET", f"/v1/webhook-deliveries/stats", options)


class AsyncWebhookDeliveries(AsyncResource):
    def list(self, *, limit: Optional[int] = None, webhook_id: Optional[str] = None, status: Optional[T.WebhookDeliveryStatus] = None, type: Optional[T.EventKind] = None, event_id: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, request_id: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.WebhookDelivery]:
        """List all webhooks' deliveries, newest first.

        Deliveries are kept for 30 days.
        """
        return self._list("GET", f"/v1/webhook-deliveries", options, query={"limit": limit, "webhook_id": webhook_id, "status": status, "type": type, "event_id": event_id, "since": since, "until": until, "request_id": request_id, "cursor": cursor})

    async def get_stats(self, **options: Unpack[Options]) -> T.WebhookStats:
        """Count all webhooks' attempts by hour.

        With response times.
        """
        return await self._call("GET", f"/v1/webhook-deliveries/stats", options)


class Webhooks(SyncResource):
    def list(self, *, limit: Optional[int] = None, status: Optional[T.WebhookStatus] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.Webhook]:
        """List webhooks, newest first.

        Callers: `tenant_admin`; API keys with `read:webhooks`; the service-role key.
        """
        return self._list("GET", f"/v1/webhooks", options, query={"limit": limit, "status": status, "cursor": cursor})

    def create(self, body: T.CreateWebhookRequest, **options: Unpack[Options]) -> T.NewWebhook:
        """Register a webhook.

        Events are signed as Standard Webhooks specifies, with your secret or a generated one. Delivery starts with the next event.
        """
        return self._call("POST", f"/v1/webhooks", options, body=body, takes_key=True)

    def preview_filters(self, body: T.PreviewWebhookFiltersRequest, **options: Unpack[Options]) -> T.WebhookFilterPreview:
        """Preview a webhook's filters.

        Counts the events of the last 7 days that a webhook with these filters would have received.
        """
        return self._call("POST", f"/v1/webhooks/preview-filters", options, body=body, takes_key=True)

    def delete(self, id: str, **options: Unpack[Options]) -> Union[T.DeletedWebhook, None]:
        """Delete a webhook.

        Can't be undone. No more events are sent to it and its signing secret is destroyed.
        """
        return self._call("DELETE", f"/v1/webhooks/{segment('id', id)}", options)

    def get(self, id: str, **options: Unpack[Options]) -> T.Webhook:
        """Get a webhook and its health.

        Callers: `tenant_admin`; API keys with `read:webhooks`; the service-role key.
        """
        return self._call("GET", f"/v1/webhooks/{segment('id', id)}", options)

    def update(self, id: str, body: Optional[T.UpdateWebhookRequest] = None, **options: Unpack[Options]) -> Union[T.Webhook, None]:
        """Change, disable or enable a webhook.

        A JSON merge patch; filters and headers are replaced as a whole. Disabling cancels pending retries; recover resends them later. reason is stored with the webhook. A new host requires the values of all headers again.
        """
        return self._call("PATCH", f"/v1/webhooks/{segment('id', id)}", options, body=body)

    def list_deliveries(self, id: str, *, limit: Optional[int] = None, status: Optional[T.WebhookDeliveryStatus] = None, type: Optional[T.EventKind] = None, event_id: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> Pages[T.WebhookDelivery]:
        """List a webhook's deliveries, newest first.

        Deliveries are kept for 30 days.
        """
        return self._list("GET", f"/v1/webhooks/{segment('id', id)}/deliveries", options, query={"limit": limit, "status": status, "type": type, "event_id": event_id, "since": since, "until": until, "cursor": cursor})

    def get_delivery(self, id: str, delivery_id: str, **options: Unpack[Options]) -> T.WebhookDeliveryDetail:
        """Get a delivery with its payload, attempts and responses.

        Callers: `tenant_admin`; API keys with `read:webhooks`; the service-role key.
        """
        return self._call("GET", f"/v1/webhooks/{segment('id', id)}/deliveries/{segment('delivery_id', delivery_id)}", options)

    def resend_delivery(self, id: str, delivery_id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.WebhookDelivery, None]:
        """Resend a delivery.

        Sends it immediately with the same webhook-id, even if it was delivered. Returns 409 while it is being sent or if the webhook is disabled.
        """
        return self._call("POST", f"/v1/webhooks/{segment('id', id)}/deliveries/{segment('delivery_id', delivery_id)}/resend", options, body=body, takes_key=True)

    def enable(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Webhook, None]:
        """Enable a webhook.

        Works whatever disabled it. Missed deliveries aren't resent automatically: recover from missed_since.
        """
        return self._call("POST", f"/v1/webhooks/{segment('id', id)}/enable", options, body=body, takes_key=True)

    def recover(self, id: str, body: T.RecoverWebhookRequest, **options: Unpack[Options]) -> Union[T.WebhookRecovery, None]:
        """Recover missed deliveries.

        Resends deliveries of events since then that failed or are waiting for a retry. With dry_run they are only counted. A disabled webhook returns 409, except with dry_run.
        """
        return self._call("POST", f"/v1/webhooks/{segment('id', id)}/recover", options, body=body, takes_key=True)

    def rotate_secret(self, id: str, body: Optional[T.RotateWebhookSecretRequest] = None, **options: Unpack[Options]) -> T.NewWebhook:
        """Rotate a webhook's signing secret.

        During the grace period, both the new and the previous secret sign.
        """
        return self._call("POST", f"/v1/webhooks/{segment('id', id)}/rotate-secret", options, body=body, takes_key=True)

    def get_stats(self, id: str, **options: Unpack[Options]) -> T.WebhookStats:
        """Count a webhook's attempts by hour.

        With response times.
        """
        return self._call("GET", f"/v1/webhooks/{segment('id', id)}/stats", options)

    def test(self, id: str, body: Optional[T.TestWebhookRequest] = None, **options: Unpack[Options]) -> T.WebhookDelivery:
        """Send a test event.

        Returns the delivery; its attempts show the result. Only this webhook gets the event, subscribed or not. Any type except webhook.test has example data, with `"test": true` next to `data`. A disabled webhook returns 409.
        """
        return self._call("POST", f"/v1/webhooks/{segment('id', id)}/test", options, body=body, takes_key=True)


class AsyncWebhooks(AsyncResource):
    def list(self, *, limit: Optional[int] = None, status: Optional[T.WebhookStatus] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.Webhook]:
        """List webhooks, newest first.

        Callers: `tenant_admin`; API keys with `read:webhooks`; the service-role key.
        """
        return self._list("GET", f"/v1/webhooks", options, query={"limit": limit, "status": status, "cursor": cursor})

    async def create(self, body: T.CreateWebhookRequest, **options: Unpack[Options]) -> T.NewWebhook:
        """Register a webhook.

        Events are signed as Standard Webhooks specifies, with your secret or a generated one. Delivery starts with the next event.
        """
        return await self._call("POST", f"/v1/webhooks", options, body=body, takes_key=True)

    async def preview_filters(self, body: T.PreviewWebhookFiltersRequest, **options: Unpack[Options]) -> T.WebhookFilterPreview:
        """Preview a webhook's filters.

        Counts the events of the last 7 days that a webhook with these filters would have received.
        """
        return await self._call("POST", f"/v1/webhooks/preview-filters", options, body=body, takes_key=True)

    async def delete(self, id: str, **options: Unpack[Options]) -> Union[T.DeletedWebhook, None]:
        """Delete a webhook.

        Can't be undone. No more events are sent to it and its signing secret is destroyed.
        """
        return await self._call("DELETE", f"/v1/webhooks/{segment('id', id)}", options)

    async def get(self, id: str, **options: Unpack[Options]) -> T.Webhook:
        """Get a webhook and its health.

        Callers: `tenant_admin`; API keys with `read:webhooks`; the service-role key.
        """
        return await self._call("GET", f"/v1/webhooks/{segment('id', id)}", options)

    async def update(self, id: str, body: Optional[T.UpdateWebhookRequest] = None, **options: Unpack[Options]) -> Union[T.Webhook, None]:
        """Change, disable or enable a webhook.

        A JSON merge patch; filters and headers are replaced as a whole. Disabling cancels pending retries; recover resends them later. reason is stored with the webhook. A new host requires the values of all headers again.
        """
        return await self._call("PATCH", f"/v1/webhooks/{segment('id', id)}", options, body=body)

    def list_deliveries(self, id: str, *, limit: Optional[int] = None, status: Optional[T.WebhookDeliveryStatus] = None, type: Optional[T.EventKind] = None, event_id: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, cursor: Optional[str] = None, **options: Unpack[Options]) -> AsyncPages[T.WebhookDelivery]:
        """List a webhook's deliveries, newest first.

        Deliveries are kept for 30 days.
        """
        return self._list("GET", f"/v1/webhooks/{segment('id', id)}/deliveries", options, query={"limit": limit, "status": status, "type": type, "event_id": event_id, "since": since, "until": until, "cursor": cursor})

    async def get_delivery(self, id: str, delivery_id: str, **options: Unpack[Options]) -> T.WebhookDeliveryDetail:
        """Get a delivery with its payload, attempts and responses.

        Callers: `tenant_admin`; API keys with `read:webhooks`; the service-role key.
        """
        return await self._call("GET", f"/v1/webhooks/{segment('id', id)}/deliveries/{segment('delivery_id', delivery_id)}", options)

    async def resend_delivery(self, id: str, delivery_id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.WebhookDelivery, None]:
        """Resend a delivery.

        Sends it immediately with the same webhook-id, even if it was delivered. Returns 409 while it is being sent or if the webhook is disabled.
        """
        return await self._call("POST", f"/v1/webhooks/{segment('id', id)}/deliveries/{segment('delivery_id', delivery_id)}/resend", options, body=body, takes_key=True)

    async def enable(self, id: str, body: Optional[T.IdempotentRequest] = None, **options: Unpack[Options]) -> Union[T.Webhook, None]:
        """Enable a webhook.

        Works whatever disabled it. Missed deliveries aren't resent automatically: recover from missed_since.
        """
        return await self._call("POST", f"/v1/webhooks/{segment('id', id)}/enable", options, body=body, takes_key=True)

    async def recover(self, id: str, body: T.RecoverWebhookRequest, **options: Unpack[Options]) -> Union[T.WebhookRecovery, None]:
        """Recover missed deliveries.

        Resends deliveries of events since then that failed or are waiting for a retry. With dry_run they are only counted. A disabled webhook returns 409, except with dry_run.
        """
        return await self._call("POST", f"/v1/webhooks/{segment('id', id)}/recover", options, body=body, takes_key=True)

    async def rotate_secret(self, id: str, body: Optional[T.RotateWebhookSecretRequest] = None, **options: Unpack[Options]) -> T.NewWebhook:
        """Rotate a webhook's signing secret.

        During the grace period, both the new and the previous secret sign.
        """
        return await self._call("POST", f"/v1/webhooks/{segment('id', id)}/rotate-secret", options, body=body, takes_key=True)

    async def get_stats(self, id: str, **options: Unpack[Options]) -> T.WebhookStats:
        """Count a webhook's attempts by hour.

        With response times.
        """
        return await self._call("GET", f"/v1/webhooks/{segment('id', id)}/stats", options)

    async def test(self, id: str, body: Optional[T.TestWebhookRequest] = None, **options: Unpack[Options]) -> T.WebhookDelivery:
        """Send a test event.

        Returns the delivery; its attempts show the result. Only this webhook gets the event, subscribed or not. Any type except webhook.test has example data, with `"test": true` next to `data`. A disabled webhook returns 409.
        """
        return await self._call("POST", f"/v1/webhooks/{segment('id', id)}/test", options, body=body, takes_key=True)


class Resources:
    alert_channels: AlertChannels
    api_keys: ApiKeys
    calendars: Calendars
    closing_board: ClosingBoard
    connections: Connections
    decisions: Decisions
    entry_batches: EntryBatches
    events: Events
    evidence: Evidence
    exceptions: Exceptions
    first_steps: FirstSteps
    holidays: Holidays
    imports: Imports
    integrations: Integrations
    invitations: Invitations
    lines: Lines
    matches: Matches
    me: Me
    members: Members
    overview: Overview
    reconciliations: Reconciliations
    release_notes: ReleaseNotes
    requests: Requests
    runs: Runs
    sandbox: Sandbox
    security_events: SecurityEvents
    sla_policy: SlaPolicy
    sources: Sources
    tenant_members: TenantMembers
    troubleshooting: Troubleshooting
    views: Views
    webhook_deliveries: WebhookDeliveries
    webhooks: Webhooks

    def __init__(self, transport: SyncTransport) -> None:
        self.alert_channels = AlertChannels(transport)
        self.api_keys = ApiKeys(transport)
        self.calendars = Calendars(transport)
        self.closing_board = ClosingBoard(transport)
        self.connections = Connections(transport)
        self.decisions = Decisions(transport)
        self.entry_batches = EntryBatches(transport)
        self.events = Events(transport)
        self.evidence = Evidence(transport)
        self.exceptions = Exceptions(transport)
        self.first_steps = FirstSteps(transport)
        self.holidays = Holidays(transport)
        self.imports = Imports(transport)
        self.integrations = Integrations(transport)
        self.invitations = Invitations(transport)
        self.lines = Lines(transport)
        self.matches = Matches(transport)
        self.me = Me(transport)
        self.members = Members(transport)
        self.overview = Overview(transport)
        self.reconciliations = Reconciliations(transport)
        self.release_notes = ReleaseNotes(transport)
        self.requests = Requests(transport)
        self.runs = Runs(transport)
        self.sandbox = Sandbox(transport)
        self.security_events = SecurityEvents(transport)
        self.sla_policy = SlaPolicy(transport)
        self.sources = Sources(transport)
        self.tenant_members = TenantMembers(transport)
        self.troubleshooting = Troubleshooting(transport)
        self.views = Views(transport)
        self.webhook_deliveries = WebhookDeliveries(transport)
        self.webhooks = Webhooks(transport)


class AsyncResources:
    alert_channels: AsyncAlertChannels
    api_keys: AsyncApiKeys
    calendars: AsyncCalendars
    closing_board: AsyncClosingBoard
    connections: AsyncConnections
    decisions: AsyncDecisions
    entry_batches: AsyncEntryBatches
    events: AsyncEvents
    evidence: AsyncEvidence
    exceptions: AsyncExceptions
    first_steps: AsyncFirstSteps
    holidays: AsyncHolidays
    imports: AsyncImports
    integrations: AsyncIntegrations
    invitations: AsyncInvitations
    lines: AsyncLines
    matches: AsyncMatches
    me: AsyncMe
    members: AsyncMembers
    overview: AsyncOverview
    reconciliations: AsyncReconciliations
    release_notes: AsyncReleaseNotes
    requests: AsyncRequests
    runs: AsyncRuns
    sandbox: AsyncSandbox
    security_events: AsyncSecurityEvents
    sla_policy: AsyncSlaPolicy
    sources: AsyncSources
    tenant_members: AsyncTenantMembers
    troubleshooting: AsyncTroubleshooting
    views: AsyncViews
    webhook_deliveries: AsyncWebhookDeliveries
    webhooks: AsyncWebhooks

    def __init__(self, transport: AsyncTransport) -> None:
        self.alert_channels = AsyncAlertChannels(transport)
        self.api_keys = AsyncApiKeys(transport)
        self.calendars = AsyncCalendars(transport)
        self.closing_board = AsyncClosingBoard(transport)
        self.connections = AsyncConnections(transport)
        self.decisions = AsyncDecisions(transport)
        self.entry_batches = AsyncEntryBatches(transport)
        self.events = AsyncEvents(transport)
        self.evidence = AsyncEvidence(transport)
        self.exceptions = AsyncExceptions(transport)
        self.first_steps = AsyncFirstSteps(transport)
        self.holidays = AsyncHolidays(transport)
        self.imports = AsyncImports(transport)
        self.integrations = AsyncIntegrations(transport)
        self.invitations = AsyncInvitations(transport)
        self.lines = AsyncLines(transport)
        self.matches = AsyncMatches(transport)
        self.me = AsyncMe(transport)
        self.members = AsyncMembers(transport)
        self.overview = AsyncOverview(transport)
        self.reconciliations = AsyncReconciliations(transport)
        self.release_notes = AsyncReleaseNotes(transport)
        self.requests = AsyncRequests(transport)
        self.runs = AsyncRuns(transport)
        self.sandbox = AsyncSandbox(transport)
        self.security_events = AsyncSecurityEvents(transport)
        self.sla_policy = AsyncSlaPolicy(transport)
        self.sources = AsyncSources(transport)
        self.tenant_members = AsyncTenantMembers(transport)
        self.troubleshooting = AsyncTroubleshooting(transport)
        self.views = AsyncViews(transport)
        self.webhook_deliveries = AsyncWebhookDeliveries(transport)
        self.webhooks = AsyncWebhooks(transport)
