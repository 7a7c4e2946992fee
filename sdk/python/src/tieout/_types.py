# Written by `npm run generate` from openapi.json.
# ruff: noqa
from __future__ import annotations

from typing import Any, Literal, NewType, NotRequired, TypedDict, Union

LaterValue = NewType("LaterValue", str)
"""A value of a later version of the API. It can be sent back; a misspelt value can't be sent."""

class AddLinesRequest(TypedDict):
    lines: list["NewLine"]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class AddedLinesItemsItem(TypedDict):
    index: int
    id: str
    duplicate: bool


class AddedLines(TypedDict):
    accepted_count: int
    duplicate_count: int
    items: list["AddedLinesItemsItem"]


AdjustmentKind = Literal["fee", "fx", "rounding", "write_off", "other"]

class AlertChannel(TypedDict):
    id: str
    name: str
    url_hint: str
    kinds: list[Union["AlertChannelKind", str]]
    last_sent_at: Union[str, None]
    last_failure_at: Union[str, None]
    last_failure: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"


AlertChannelKind = Literal["exception_breached", "exception_at_risk", "webhook_failing", "api_key_expiring", "connection_failing"]

class AlertChannelPage(TypedDict):
    items: list["AlertChannel"]
    next_cursor: "NextCursor"


AlertScope = Literal["mine", "all", "off"]

class AmountsByCurrencyItem(TypedDict):
    currency: "CurrencyOfAmount"
    amount_minor: "MinorAmount"


AmountsByCurrency = list["AmountsByCurrencyItem"]

class AmountsBySideItem(TypedDict):
    currency: "CurrencyOfAmount"
    side: Union["LineSide", str]
    lines: Union[int, str]
    matched: "MinorAmount"
    excluded: "MinorAmount"
    open: Union[int, str]
    adjustments: Union[int, str]
    residual: Union[int, str]
    holds: bool


AmountsBySide = list["AmountsBySideItem"]

class ApiKey(TypedDict):
    id: str
    name: str
    key_id: str
    scopes: list[str]
    expires_at: Union[str, None]
    ip_allowlist: list[str]
    created_at: "CreationTime"
    created_by: "Creator"
    description: "FreeText"
    status: Union["ApiKeyStatus", str]
    last_used_at: Union[str, None]
    request_count: int
    calls_by_day: list[int]
    last_used_ip: Union[str, None]
    grace_expires_at: Union[str, None]
    rotated_from: Union[str, None]
    rotated_to: Union[str, None]
    revoked_at: Union[str, None]
    revoked_by: Union[str, None]
    revoke_reason: Union[str, None]
    rotation_recommended_at: str
    unused_scopes: list[str]


class ApiKeyExpiringEventData(TypedDict):
    id: str
    name: str
    key_id: str
    expires_at: str
    days_before: int


class ApiKeyExpiringEvent(TypedDict):
    type: Literal["api_key.expiring"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ApiKeyExpiringEventData"


class ApiKeyImpactByOperationItem(TypedDict):
    operation: str
    refused: int


class ApiKeyImpactByAddressItem(TypedDict):
    address: str
    refused: int


class ApiKeyImpactWebhooksItem(TypedDict):
    id: str
    url: str


class ApiKeyImpact(TypedDict):
    since: str
    calls: int
    refused: int
    by_operation: list["ApiKeyImpactByOperationItem"]
    by_address: list["ApiKeyImpactByAddressItem"]
    webhooks: list["ApiKeyImpactWebhooksItem"]


class ApiKeyPage(TypedDict):
    items: list["ApiKey"]
    next_cursor: "NextCursor"
    as_of: "ResponseTime"


class ApiKeyRevokedEventData(TypedDict):
    id: str
    name: str
    key_id: str
    revoked_at: str
    revoked_by: str
    reason: Union[str, None]


class ApiKeyRevokedEvent(TypedDict):
    type: Literal["api_key.revoked"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ApiKeyRevokedEventData"


ApiKeyStatus = Literal["active", "rotating", "expired", "revoked"]

class ApiKeyUsageHoursItem(TypedDict):
    start: str
    accepted: int
    refused: int


class ApiKeyUsageDaysItem(TypedDict):
    start: str
    accepted: int
    refused: int


class ApiKeyUsageAddressesItem(TypedDict):
    address: str
    calls: int
    in_grace: int
    last_seen_at: str


class ApiKeyUsage(TypedDict):
    as_of: "ResponseTime"
    hours: list["ApiKeyUsageHoursItem"]
    days: list["ApiKeyUsageDaysItem"]
    addresses: list["ApiKeyUsageAddressesItem"]
    refusals: dict[str, int]


AutomaticMatching = Literal["suggest_only", "earned", "always"]

class BoardMoney(TypedDict):
    currency: "CurrencyOfAmount"
    side: Union["LineSide", str]
    open_minor: Union[int, str]


class BoardPair(TypedDict):
    left_source_id: str
    right_source_id: str
    left_source: str
    right_source: str
    periods: list["BoardPeriod"]


class BoardPairPage(TypedDict):
    items: list["BoardPair"]
    next_cursor: "NextCursor"


class BoardPeriod(TypedDict):
    reconciliation_id: "OriginReconciliationId"
    name: str
    period_start: str
    period_end: str
    state: Union["BoardPeriodState", str]
    prepared_by: Union[str, None]
    reviewed_by: list[str]
    closed_by: Union[str, None]
    due_day: Union[str, None]
    overdue: bool
    open_lines: int
    open_money: list["BoardMoney"]
    oldest_days: Union[int, None]


BoardPeriodState = Literal["open", "prepared", "reviewed", "closed", "preparing", "archived"]

class BooksDifferEventDataDifferencesItem(TypedDict):
    what: str
    subject: str
    computed: Union[str, None]
    shown: Union[str, None]


class BooksDifferEventData(TypedDict):
    reconciliation_ids: list[str]
    difference_count: int
    differences: list["BooksDifferEventDataDifferencesItem"]


class BooksDifferEvent(TypedDict):
    type: Literal["books.differ"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "BooksDifferEventData"


BreachRisk = Literal["breached", "high", "medium", "low"]

BreachRiskFilter = Literal["breached", "high", "medium", "low", "at_risk"]

class BulkUpdate(TypedDict):
    updated: int
    items: list["SlaException"]
    previous: list["SlaException"]
    skipped: list["SkippedException"]
    next_cursor: Union[str, None]


class Calendar(TypedDict):
    id: str
    name: str
    time_zone: str
    weekly: "OpeningHours"
    special_days: list["SpecialDay"]
    calendar_version: int
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"
    updated_by: str


class CalendarBySeverity(TypedDict):
    critical: NotRequired[Union[str, None]]
    high: NotRequired[Union[str, None]]
    medium: NotRequired[Union[str, None]]
    low: NotRequired[Union[str, None]]


class CalendarChange(TypedDict):
    id: str
    name: str
    time_zone: str
    weekly: "OpeningHours"
    special_days: list["SpecialDay"]
    calendar_version: int
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"
    updated_by: str
    dry_run: bool
    impact: "CalendarImpact"


class CalendarIcs(TypedDict):
    ics: str


CalendarId = Union[str, None]

class CalendarImpact(TypedDict):
    changed: int
    earlier: int
    later: int
    newly_breached: int
    no_longer_breached: int
    by_severity: "CountBySeverity"
    periods: int


class CalendarPage(TypedDict):
    items: list["Calendar"]
    next_cursor: "NextCursor"


class CalendarVersion(TypedDict):
    calendar_version: int
    time_zone: str
    weekly: "OpeningHours"
    special_day_count: int
    open_exceptions: int
    created_at: "CreationTime"
    created_by: "Creator"


class CalendarVersionPage(TypedDict):
    items: list["CalendarVersion"]
    next_cursor: "NextCursor"


CallCredential = Literal["session", "token", "api_key", "publishable_key", "service_role"]

CallResult = Literal["failed", "refused", "2xx", "3xx", "4xx", "5xx"]

class ChainFault(TypedDict):
    reason: Union[Literal["content_changed", "row_missing", "order_changed", "tail_rewritten", "tail_cut", "checkpoint_invalid", "not_chained"], str]
    seq: int
    event_id: Union[str, None]
    message: str


class ChainVerificationVerifiedThrough(TypedDict):
    seq: int
    id: str
    hash: str


class ChainVerificationCheckpoint(TypedDict):
    kind: Union[Literal["head", "prefix"], str]
    seq: int
    hash: str
    at: str
    key_id: str
    signature: str


class ChainVerification(TypedDict):
    status: Union[Literal["intact", "broken"], str]
    as_of: "ResponseTime"
    events: int
    forgotten_through_seq: Union[int, None]
    verified_through: "ChainVerificationVerifiedThrough"
    checkpoint: "ChainVerificationCheckpoint"
    unsigned_events: int
    fault: Union["ChainFault", None]


ChangeTime = str

class CheckPolicy(TypedDict):
    period_over: Union["CheckWeight", str]
    files: Union["CheckWeight", str]
    balances: Union["CheckWeight", str]
    suggestions: Union["CheckWeight", str]
    exceptions: Union["CheckWeight", str]
    difference: Union["CheckWeight", str]
    evidence: Union["CheckWeight", str]


class CheckPolicyInput(TypedDict):
    period_over: NotRequired["CheckWeight"]
    files: NotRequired["CheckWeight"]
    balances: NotRequired["CheckWeight"]
    suggestions: NotRequired["CheckWeight"]
    exceptions: NotRequired["CheckWeight"]
    difference: NotRequired["CheckWeight"]
    evidence: NotRequired["CheckWeight"]


CheckWeight = Literal["block", "warn", "ignore"]

class ConflictOrInvalidTransitionProblem(TypedDict):
    status: NotRequired[Literal[409]]
    code: NotRequired[Union[Literal["conflict", "invalid_transition"], str]]


class ConflictProblem(TypedDict):
    status: NotRequired[Literal[409]]
    code: NotRequired[Literal["conflict"]]


ConflictReason = Literal["run_under_way", "preparing", "lines_changing", "closing", "delivery_under_way", "import_queue_full", "sandbox_busy", "quota", "count_changed", "state_changed", "paused", "not_paused", "cannot_pause", "no_sources", "periods_overlap", "has_decisions", "counts_computed", "close_required", "period_closed", "not_closed", "archived", "earlier_period_open", "later_period_closed", "second_person_required", "checklist_incomplete", "signatures_missing", "already_prepared", "not_prepared", "already_reviewed", "evidence_signed", "already_superseded", "already_exported", "no_push", "unsuitable_entry", "stated_by_file", "proof_broken", "difference_unexplained", "line_not_open", "not_excluded", "excluded_elsewhere", "no_open_period", "source_has_lines", "already_undone", "import_failed", "not_fetched", "source_connected", "host_key_changed", "webhook_disabled", "revoked", "expired", "already_rotated", "last_admin", "already_member", "same_name", "too_many_exceptions", "invitation_open", "invitation_ended", "sign_in_required", "tenant_kind", "managed_elsewhere"]

class ConnectionSchedule(TypedDict):
    calendar_id: Union[str, None]
    at: str
    retry_until: str


class Connection(TypedDict):
    id: str
    source_id: str
    kind: Union["ConnectionKind", str]
    address: str
    allowed_senders: list[str]
    auth: Union["ConnectionAuth", str]
    user_name: Union[str, None]
    region: Union[str, None]
    file_glob: str
    schedule: "ConnectionSchedule"
    afterwards: Union["FileAfterwards", str]
    move_to: Union[str, None]
    stable_seconds: int
    waits_for_marker: bool
    assigned_to: Union[str, None]
    host_key: Union[str, None]
    status: Union[Literal["active", "paused", "stopped"], str]
    next_look_at: Union[str, None]
    last_look_at: Union[str, None]
    last_outcome: Union[Union[Literal["fetched", "nothing_new", "failed"], str], None]
    last_error: Union[str, None]
    failing_since: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"


ConnectionAuth = Literal["none", "bearer", "signed_query", "password", "private_key", "access_key"]

class ConnectionFailingEventData(TypedDict):
    connection: "Connection"


class ConnectionFailingEvent(TypedDict):
    type: Literal["connection.failing"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ConnectionFailingEventData"


class ConnectionFileSenderChecks(TypedDict):
    dkim: Union[str, None]
    spf: str
    dmarc: str


class ConnectionFile(TypedDict):
    id: str
    path: str
    bytes: Union[int, None]
    modified_at: Union[str, None]
    sha256: Union[str, None]
    sender: Union[str, None]
    sender_checks: "ConnectionFileSenderChecks"
    outcome: Union[Literal["fetching", "importing", "imported", "duplicate", "failed", "undone"], str]
    import_id: Union[str, None]
    line_count: Union[int, None]
    error: Union[str, None]
    created_at: "CreationTime"
    tried_at: str
    taken_at: Union[str, None]


class ConnectionFilePage(TypedDict):
    items: list["ConnectionFile"]
    next_cursor: "NextCursor"


ConnectionKind = Literal["https", "s3", "sftp", "mail"]

class ConnectionPage(TypedDict):
    items: list["Connection"]
    next_cursor: "NextCursor"


class ConnectionScheduleInput(TypedDict):
    calendar_id: Union[str, None]
    at: str
    retry_until: str


class ConnectionTest(TypedDict):
    error: Union[str, None]
    host_key: Union[str, None]
    names: list[str]
    total_count: int


class CountBySeverity(TypedDict):
    critical: int
    high: int
    medium: int
    low: int


class CreateAlertChannelRequest(TypedDict):
    name: str
    url: str
    kinds: list["AlertChannelKind"]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateApiKeyRequest(TypedDict):
    name: str
    description: NotRequired["FreeText"]
    scopes: list["Scope"]
    expires_at: NotRequired[Union[str, None]]
    ip_allowlist: NotRequired[list[str]]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


CreateCalendarRequestWeeklyItem = TypedDict("CreateCalendarRequestWeeklyItem", {
    "day": "Weekday",
    "from": str,
    "to": str,
})

class CreateCalendarRequest(TypedDict):
    name: str
    time_zone: str
    weekly: list["CreateCalendarRequestWeeklyItem"]
    special_days: NotRequired[list["SpecialDayInput"]]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateConnectionRequest(TypedDict):
    source_id: str
    kind: "ConnectionKind"
    address: NotRequired[str]
    allowed_senders: NotRequired[list[str]]
    auth: NotRequired["ConnectionAuth"]
    user_name: NotRequired[Union[str, None]]
    region: NotRequired[Union[str, None]]
    file_glob: NotRequired[str]
    schedule: NotRequired["ConnectionScheduleInput"]
    afterwards: NotRequired["FileAfterwards"]
    move_to: NotRequired[Union[str, None]]
    stable_seconds: NotRequired[int]
    waits_for_marker: NotRequired[bool]
    assigned_to: NotRequired[Union[str, None]]
    host_key: NotRequired[Union[str, None]]
    credential: NotRequired[str]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateExceptionCommentRequest(TypedDict):
    body: str
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateExceptionRequest(TypedDict):
    title: str
    severity: "Severity"
    assigned_to: NotRequired[Union[str, None]]
    due_at: NotRequired[str]
    reason_code: NotRequired[Union[str, None]]
    amount_minor: NotRequired[Union[int, None]]
    currency: NotRequired[Union["Currency", None]]
    reconciliation_id: NotRequired[Union[str, None]]
    status: NotRequired["OpenExceptionStatus"]
    details: NotRequired[dict[str, Any]]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateIntegrationRequest(TypedDict):
    tenantId: NotRequired[str]
    operation: NotRequired[str]
    limit: NotRequired[int]
    name: NotRequired[Union[str, None]]
    provider: NotRequired[Union[str, None]]
    status: NotRequired[Union[str, None]]
    config: NotRequired[Union[dict[str, Any], None]]
    id: NotRequired[Any]
    created_at: NotRequired[Any]
    created_by: NotRequired[Any]
    updated_at: NotRequired[Any]
    soft_delete: NotRequired[Any]
    deleted_at: NotRequired[Any]
    purge_at: NotRequired[Any]
    tenant_id: NotRequired[Any]
    idempotencyKey: NotRequired["RequestIdempotencyKey"]


class CreateInvitationRequest(TypedDict):
    email: str
    roles: list["Role"]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateMatchRequestAdjustmentsItem(TypedDict):
    kind: "AdjustmentKind"
    amount_minor: int
    note: NotRequired[Union[str, None]]


class CreateMatchRequest(TypedDict):
    line_ids: list[str]
    adjustments: NotRequired[list["CreateMatchRequestAdjustmentsItem"]]
    note: NotRequired[Union[str, None]]
    split_line_id: NotRequired[str]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateReconciliationRequest(TypedDict):
    name: str
    status: NotRequired[Literal["open", "in_progress"]]
    period_start: str
    period_end: str
    left_source: NotRequired[str]
    right_source: NotRequired[str]
    matched_count: NotRequired[int]
    unmatched_count: NotRequired[int]
    left_source_id: NotRequired[str]
    right_source_id: NotRequired[str]
    auto_run: NotRequired[bool]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateReleaseNoteRequest(TypedDict):
    tenantId: NotRequired[str]
    operation: NotRequired[str]
    limit: NotRequired[int]
    title: NotRequired[Union[str, None]]
    version: NotRequired[Union[str, None]]
    body: NotRequired[Union[str, None]]
    published: NotRequired[Union[bool, None]]
    published_at: NotRequired[Union[str, None]]
    id: NotRequired[Any]
    created_at: NotRequired[Any]
    created_by: NotRequired[Any]
    updated_at: NotRequired[Any]
    soft_delete: NotRequired[Any]
    deleted_at: NotRequired[Any]
    purge_at: NotRequired[Any]
    tenant_id: NotRequired[Any]
    idempotencyKey: NotRequired["RequestIdempotencyKey"]


class CreateRunRequest(TypedDict):
    dry_run: NotRequired[bool]
    rules: NotRequired[list["MatchingRule"]]
    fees: NotRequired["FeeHandling"]
    calendar_id: NotRequired["CalendarId"]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateSourceRequest(TypedDict):
    name: str
    kind: "SourceKind"
    currency: str
    time_zone: NotRequired[str]
    sign: NotRequired["SourceSign"]
    mapping: NotRequired[Union["ImportMapping", None]]
    grace_days: NotRequired[int]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateTestEventRequest(TypedDict):
    type: Literal["exception.sla.at_risk", "exception.sla.breached", "exception.created", "exception.updated", "exception.resolved", "exception.paused", "exception.resumed", "exception.commented", "run.done", "match.undone", "reconciliation.prepared", "reconciliation.reviewed", "reconciliation.closed", "reconciliation.reopened", "entries.ready", "books.differ", "import.done", "connection.failing", "api_key.expiring", "api_key.revoked", "webhook.failing", "webhook.disabled"]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateTroubleshootingGuideRequest(TypedDict):
    tenantId: NotRequired[str]
    operation: NotRequired[str]
    limit: NotRequired[int]
    title: NotRequired[Union[str, None]]
    symptom: NotRequired[Union[str, None]]
    resolution: NotRequired[Union[str, None]]
    published: NotRequired[Union[bool, None]]
    id: NotRequired[Any]
    created_at: NotRequired[Any]
    created_by: NotRequired[Any]
    updated_at: NotRequired[Any]
    soft_delete: NotRequired[Any]
    deleted_at: NotRequired[Any]
    purge_at: NotRequired[Any]
    tenant_id: NotRequired[Any]
    idempotencyKey: NotRequired["RequestIdempotencyKey"]


class CreateViewRequest(TypedDict):
    name: str
    shared: NotRequired[bool]
    filters: NotRequired["ExceptionFilters"]
    sort_by: NotRequired["SlaSort"]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class CreateWebhookRequestHeadersItem(TypedDict):
    name: str
    value: NotRequired[str]


class CreateWebhookRequest(TypedDict):
    url: str
    description: NotRequired["FreeText"]
    events: list["EventKind"]
    filters: NotRequired["WebhookFilters"]
    headers: NotRequired[list["CreateWebhookRequestHeadersItem"]]
    max_per_minute: NotRequired[Union[int, None]]
    oauth: NotRequired["OAuthClientInput"]
    secret: NotRequired[str]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


CreationTime = str

Creator = str

Currency = Literal["AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN", "BHD", "BIF", "BMD", "BND", "BOB", "BOV", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHE", "CHF", "CHW", "CLF", "CLP", "CNY", "COP", "COU", "CRC", "CUC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HRK", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MXV", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SLL", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "USN", "UYI", "UYU", "UYW", "UZS", "VED", "VES", "VND", "VUV", "WST", "XAD", "XAF", "XCD", "XCG", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWG", "ZWL"]

CurrencyOfAmount = str

class DecideMatchesRequestFilter(TypedDict):
    reconciliation_id: "OriginReconciliationId"
    method: NotRequired[str]
    shape: NotRequired["MatchShape"]
    run_id: NotRequired[str]
    score_from: NotRequired[float]
    score_below: NotRequired[float]


class DecideMatchesRequest(TypedDict):
    action: Literal["confirm", "reject", "undo"]
    ids: NotRequired[list[str]]
    filter: NotRequired["DecideMatchesRequestFilter"]
    expected_count: NotRequired[int]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class Decision(TypedDict):
    id: str
    reconciliation_id: "OriginReconciliationId"
    action: Union[Literal["confirm", "reject", "match", "exclude"], str]
    match_count: int
    match_ids: list[str]
    line_id: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"
    undone_at: Union[str, None]
    undone_by: Union[str, None]


class DecisionPage(TypedDict):
    items: list["Decision"]
    next_cursor: "NextCursor"


class DeletedConnection(TypedDict):
    id: str
    deleted: Literal[True]


DeletedFilter = Literal["true", "false", "only"]

class DeletedView(TypedDict):
    id: str
    deleted: Literal[True]


class DeletedWebhook(TypedDict):
    id: str
    deleted: Literal[True]


class DeliveriesOfDay(TypedDict):
    attempts: int
    failures: int
    success_rate: Union[float, None]
    p50_ms: Union[int, None]
    p95_ms: Union[int, None]


class DeliveriesOfWeek(TypedDict):
    attempts: int
    failures: int
    success_rate: Union[float, None]
    p50_ms: Union[int, None]
    p95_ms: Union[int, None]


class EndSessionsRequest(TypedDict):
    ids: NotRequired[list[str]]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class EndedSessions(TypedDict):
    ended: list[str]


class EntriesReadyEventData(TypedDict):
    batch: "EntryBatch"


class EntriesReadyEvent(TypedDict):
    type: Literal["entries.ready"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "EntriesReadyEventData"


class EntriesWithoutRule(TypedDict):
    kind: Union["EntryKind", str]
    currency: "CurrencyOfAmount"
    count: int
    difference_minor: "MinorAmount"


class Entry(TypedDict):
    id: str
    place: int
    kind: Union["EntryKind", str]
    subject_id: str
    currency: "CurrencyOfAmount"
    amount_minor: int
    difference_minor: int
    debit_account: str
    credit_account: str
    tax_code: Union[str, None]
    cost_center: Union[str, None]
    text: str
    value_date: str
    reference: Union[str, None]
    counterparty: Union[str, None]
    reverses: Union[str, None]


class EntryBatch(TypedDict):
    id: str
    number: str
    state: Union["EntryBatchState", str]
    reconciliation_id: "OriginReconciliationId"
    reconciliation_name: str
    statement_number: int
    posting_date: str
    entry_count: int
    reversal_count: int
    sums: list["EntrySum"]
    digest: str
    closing_digest: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"
    exported_at: Union[str, None]
    exported_by: Union[str, None]
    ledger_reference: Union[str, None]
    push: Union["EntryPush", None]


class EntryBatchPage(TypedDict):
    items: list["EntryBatch"]
    next_cursor: "NextCursor"


EntryBatchState = Literal["ready", "exported"]

class EntryDraft(TypedDict):
    kind: Union["EntryKind", str]
    subject_id: str
    currency: "CurrencyOfAmount"
    amount_minor: int
    difference_minor: int
    debit_account: str
    credit_account: str
    tax_code: Union[str, None]
    cost_center: Union[str, None]
    text: str
    value_date: str
    reference: Union[str, None]
    counterparty: Union[str, None]


EntryKind = Literal["fee", "fx", "rounding", "write_off", "other", "residual", "excluded_left", "excluded_right", "carried_left", "carried_right"]

class EntryPage(TypedDict):
    items: list["Entry"]
    next_cursor: "NextCursor"


class EntryPreview(TypedDict):
    sums: list["EntrySum"]
    entries: list["EntryDraft"]
    without_rule: list["EntriesWithoutRule"]


class EntryPush(TypedDict):
    state: Union[Literal["waiting", "done", "failed", "stopped"], str]
    at: str
    error: Union[str, None]
    files: list[str]


EntryPushFormat = Literal["csv", "datev", "xero", "quickbooks", "quickbooks_iif", "netsuite", "sap"]

class EntryPushInput(TypedDict):
    connection_id: str
    folder: NotRequired[Union[str, None]]
    format: "EntryPushFormat"


class EntryPushSettings(TypedDict):
    connection_id: str
    folder: Union[str, None]
    format: Union["EntryPushFormat", str]


class EntryRule(TypedDict):
    account: str
    counter_account: str
    tax_code: Union[str, None]
    cost_center: Union[str, None]
    text: str


class EntryRuleInput(TypedDict):
    account: str
    counter_account: str
    tax_code: NotRequired[Union[str, None]]
    cost_center: NotRequired[Union[str, None]]
    text: str


class EntryRuleSet(TypedDict):
    rules: "EntryRules"
    ledger: "LedgerSettings"
    version: int
    updated_at: Union[str, None]
    updated_by: Union[str, None]


class EntryRules(TypedDict):
    fee: Union["EntryRule", None]
    fx: Union["EntryRule", None]
    rounding: Union["EntryRule", None]
    write_off: Union["EntryRule", None]
    other: Union["EntryRule", None]
    residual: Union["EntryRule", None]
    excluded_left: Union["EntryRule", None]
    excluded_right: Union["EntryRule", None]
    carried_left: Union["EntryRule", None]
    carried_right: Union["EntryRule", None]


class EntryRulesInput(TypedDict):
    fee: NotRequired[Union["EntryRuleInput", None]]
    fx: NotRequired[Union["EntryRuleInput", None]]
    rounding: NotRequired[Union["EntryRuleInput", None]]
    write_off: NotRequired[Union["EntryRuleInput", None]]
    other: NotRequired[Union["EntryRuleInput", None]]
    residual: NotRequired[Union["EntryRuleInput", None]]
    excluded_left: NotRequired[Union["EntryRuleInput", None]]
    excluded_right: NotRequired[Union["EntryRuleInput", None]]
    carried_left: NotRequired[Union["EntryRuleInput", None]]
    carried_right: NotRequired[Union["EntryRuleInput", None]]


class EntrySum(TypedDict):
    currency: "CurrencyOfAmount"
    entry_count: int
    debit_minor: "MinorAmount"
    credit_minor: "MinorAmount"


ErrorCode = Literal["invalid_request", "tenant_required", "idempotency_key_required", "unauthenticated", "tenant_forbidden", "role_required", "scope_required", "ip_not_allowed", "browser_forbidden", "not_found", "method_not_allowed", "conflict", "invalid_transition", "precondition_failed", "payload_too_large", "uri_too_long", "unsupported_media_type", "idempotency_mismatch", "rate_limited", "headers_too_large", "internal", "unavailable"]

class EstimateApiKeyImpactRequest(TypedDict):
    revoke: NotRequired[Literal[True]]
    scopes: NotRequired[list["Scope"]]
    expires_at: NotRequired[Union[str, None]]
    ip_allowlist: NotRequired[list[str]]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


EventKind = Literal["exception.sla.at_risk", "exception.sla.breached", "exception.created", "exception.updated", "exception.resolved", "exception.paused", "exception.resumed", "exception.commented", "run.done", "match.undone", "reconciliation.prepared", "reconciliation.reviewed", "reconciliation.closed", "reconciliation.reopened", "entries.ready", "books.differ", "import.done", "connection.failing", "api_key.expiring", "api_key.revoked", "webhook.failing", "webhook.disabled", "webhook.test"]

EventTime = str

class Evidence(TypedDict):
    id: str
    subject_type: Union[Literal["exception", "match", "line", "reconciliation"], str]
    subject_id: str
    file_name: str
    media_type: Union[Literal["application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp", "image/tiff", "image/heic", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "text/csv", "message/rfc822", "text/plain"], str]
    bytes: int
    sha256: str
    supersedes: Union[str, None]
    superseded_by: Union[str, None]
    is_signed: bool
    created_at: "CreationTime"
    created_by: "Creator"


class EvidencePage(TypedDict):
    items: list["Evidence"]
    next_cursor: "NextCursor"


ExceptionChangeChangesValue = TypedDict("ExceptionChangeChangesValue", {
    "from": Any,
    "to": Any,
})

class ExceptionChange(TypedDict):
    at: str
    actor: str
    actor_issuer: Union[str, None]
    actor_subject: Union[str, None]
    request_id: Union[str, None]
    kind: Union[Literal["created", "updated"], str]
    changes: dict[str, "ExceptionChangeChangesValue"]


ExceptionChangeDataChangesValue = TypedDict("ExceptionChangeDataChangesValue", {
    "from": Any,
    "to": Any,
})

class ExceptionChangeData(TypedDict):
    exception: "SlaException"
    changes: dict[str, "ExceptionChangeDataChangesValue"]


class ExceptionChangePage(TypedDict):
    items: list["ExceptionChange"]
    next_cursor: "NextCursor"


class ExceptionComment(TypedDict):
    id: str
    exception_id: str
    body: str
    mentions: list[str]
    created_at: "CreationTime"
    created_by: "Creator"
    actor_issuer: Union[str, None]
    actor_subject: Union[str, None]


class ExceptionCommentPage(TypedDict):
    items: list["ExceptionComment"]
    next_cursor: "NextCursor"


class ExceptionCommentedEventData(TypedDict):
    exception: "SlaException"
    comment: "ExceptionComment"


class ExceptionCommentedEvent(TypedDict):
    type: Literal["exception.commented"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ExceptionCommentedEventData"


class ExceptionCreatedEventData(TypedDict):
    exception: "SlaException"


class ExceptionCreatedEvent(TypedDict):
    type: Literal["exception.created"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ExceptionCreatedEventData"


class ExceptionFilters(TypedDict):
    breach_risk: NotRequired[list[Union["BreachRiskFilter", LaterValue]]]
    status: NotRequired[list[Union["OpenExceptionStatus", LaterValue]]]
    assigned_to: NotRequired[list[str]]
    reconciliation_id: NotRequired[list[str]]
    reason_code: NotRequired[list[str]]
    severity: NotRequired[list[Union["Severity", LaterValue]]]
    currency: NotRequired[list[str]]
    amount_from: NotRequired[int]
    due_before: NotRequired[str]
    q: NotRequired[str]


class ExceptionLedger(TypedDict):
    exception_id: str
    as_of: "ResponseTime"
    breached: bool
    explanation: str
    rows: list["LedgerRow"]
    segments: list["LedgerSegment"]


class ExceptionPausedEvent(TypedDict):
    type: Literal["exception.paused"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ExceptionChangeData"


class ExceptionResolvedEvent(TypedDict):
    type: Literal["exception.resolved"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ExceptionChangeData"


class ExceptionResumedEvent(TypedDict):
    type: Literal["exception.resumed"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ExceptionChangeData"


class ExceptionSlaAtRiskEventData(TypedDict):
    exception: "SlaException"
    due_at: str
    threshold_minutes: int
    threshold_kind: Union["ThresholdKind", str]
    next_threshold_minutes: Union[int, None]


class ExceptionSlaAtRiskEvent(TypedDict):
    type: Literal["exception.sla.at_risk"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ExceptionSlaAtRiskEventData"


class ExceptionSlaBreachedEventData(TypedDict):
    exception: "SlaException"
    due_at: str


class ExceptionSlaBreachedEvent(TypedDict):
    type: Literal["exception.sla.breached"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ExceptionSlaBreachedEventData"


ExceptionSort = Literal["created_at", "closed_at"]

ExceptionStatus = Literal["open", "in_review", "resolved", "dismissed"]

class ExceptionUpdatedEvent(TypedDict):
    type: Literal["exception.updated"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ExceptionChangeData"


class ExcludeLineRequest(TypedDict):
    reason: str
    reconciliation_id: NotRequired[str]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


ExportFormat = Literal["csv", "ndjson"]

ExportFormatWithWorkbook = Literal["csv", "ndjson", "xlsx"]

class FacetValue(TypedDict):
    value: str
    count: int
    name: Union[str, None]
    amount_minor: Union[int, None]


FeeHandling = Literal["deduct", "ignore"]

FileAfterwards = Literal["leave", "move", "delete"]

class FileStatementsItem(TypedDict):
    id: Union[str, None]
    account: Union[str, None]
    currency: Union[str, None]
    opening_balance_minor: Union[int, None]
    closing_balance_minor: Union[int, None]
    balance_holds: Union[bool, None]
    control_totals_hold: Union[bool, None]
    line_count: int
    sum_minor: str
    period_start: Union[str, None]
    period_end: Union[str, None]


FileStatements = list["FileStatementsItem"]

class FirstStepsStepsItem(TypedDict):
    step: Union[Literal["create_key", "call_api", "register_webhook", "receive_event"], str]
    done: bool


class FirstSteps(TypedDict):
    steps: list["FirstStepsStepsItem"]
    key_id: Union[str, None]
    webhook_id: Union[str, None]
    dismissed: bool


class ForbiddenProblem(TypedDict):
    status: NotRequired[Literal[403]]
    code: NotRequired[Union[Literal["tenant_forbidden", "role_required", "scope_required", "ip_not_allowed", "browser_forbidden"], str]]


FreeText = Union[str, None]

class HolidayCountriesItemsItem(TypedDict):
    code: str
    name: str


class HolidayCountries(TypedDict):
    items: list["HolidayCountriesItemsItem"]


class HolidaysRegionsItem(TypedDict):
    code: str
    name: str


class HolidaysItemsItem(TypedDict):
    date: str
    name: str
    kind: Union[Literal["public", "bank"], str]


class Holidays(TypedDict):
    regions: list["HolidaysRegionsItem"]
    items: list["HolidaysItemsItem"]


class IcsDaysSkippedEventsItem(TypedDict):
    line: int
    name: Union[str, None]
    reason: Union[Literal["cancelled", "observance", "not_all_day", "too_long", "recurrence", "limit"], str]


class IcsDays(TypedDict):
    special_days: list["SpecialDay"]
    skipped: int
    skipped_events: list["IcsDaysSkippedEventsItem"]


class IdempotencyKeyRequiredProblem(TypedDict):
    status: NotRequired[Literal[400]]
    code: NotRequired[Union[Literal["invalid_request", "tenant_required", "idempotency_key_required"], str]]


class IdempotencyMismatchProblem(TypedDict):
    status: NotRequired[Literal[422]]
    code: NotRequired[Literal["idempotency_mismatch"]]


class IdempotentRecordRequest(TypedDict):
    idempotencyKey: NotRequired["RequestIdempotencyKey"]


class IdempotentRequest(TypedDict):
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class Import(TypedDict):
    id: str
    source_id: str
    status: Union["ImportStatus", str]
    file_name: Union[str, None]
    format: Union["ImportFormat", str]
    read_count: int
    duplicate_count: int
    refused_count: int
    skipped_count: int
    refusals: "LineRefusals"
    skips: "SkippedLines"
    warnings: "ImportWarnings"
    statements: "FileStatements"
    opening_balance_minor: Union[int, None]
    closing_balance_minor: Union[int, None]
    balance_holds: Union[bool, None]
    bytes_read: int
    accepted_count: int
    bytes_total: int
    failure: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"
    finished_at: Union[str, None]
    undone_at: Union[str, None]
    undone_by: Union[str, None]


class ImportDoneEventDataImport(TypedDict):
    id: str
    source_id: str
    status: Union["ImportStatus", str]
    file_name: Union[str, None]
    format: Union["ImportFormat", str]
    read_count: int
    duplicate_count: int
    refused_count: int
    skipped_count: int
    warnings: "ImportWarnings"
    opening_balance_minor: Union[int, None]
    closing_balance_minor: Union[int, None]
    balance_holds: Union[bool, None]
    bytes_read: int
    accepted_count: int
    bytes_total: int
    failure: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"
    finished_at: Union[str, None]
    undone_at: Union[str, None]
    undone_by: Union[str, None]


ImportDoneEventData = TypedDict("ImportDoneEventData", {
    "import": "ImportDoneEventDataImport",
})

class ImportDoneEvent(TypedDict):
    type: Literal["import.done"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ImportDoneEventData"


ImportFormat = Literal["csv", "ndjson", "json", "camt.052", "camt.053", "camt.054", "mt940", "mt942", "bai2", "ofx"]

class ImportMappingSignValues(TypedDict):
    debit: list[str]
    credit: list[str]


class ImportMappingStatus(TypedDict):
    column: str
    booked: NotRequired[list[str]]
    not_booked: NotRequired[list[str]]


class ImportMapping(TypedDict):
    fields: dict[str, str]
    lines_path: NotRequired[str]
    date_format: NotRequired[Union[Literal["YYYY-MM-DD", "YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD", "DD.MM.YYYY", "DD/MM/YYYY", "DD-MM-YYYY", "DDMMYYYY", "MM/DD/YYYY", "MM-DD-YYYY", "DD.MM.YY", "DD/MM/YY", "DD-MM-YY", "MM/DD/YY", "MM-DD-YY", "YY-MM-DD", "YY.MM.DD", "YY/MM/DD", "YYMMDD", "DD MMM YYYY", "DD-MMM-YYYY", "DD-MMM-YY", "DD MMM YY", "MMM DD, YYYY", "unix_seconds", "unix_ms"], LaterValue]]
    decimal_separator: NotRequired[Union[Literal[".", ","], LaterValue]]
    delimiter: NotRequired[Union[Literal[",", ";", "\t", "|"], LaterValue]]
    quote: NotRequired[Union[Literal["\"", "'", "none"], LaterValue]]
    encoding: NotRequired[Union[Literal["utf-8", "utf-16le", "utf-16be", "windows-1252", "windows-1250", "iso-8859-2", "iso-8859-15"], LaterValue]]
    header_row: NotRequired[bool]
    sign_values: NotRequired["ImportMappingSignValues"]
    fee_sign: NotRequired[Union["ValueSign", LaterValue]]
    fee_handling: NotRequired[Union[Literal["deducted", "included"], LaterValue]]
    debit_sign: NotRequired[Union["ValueSign", LaterValue]]
    credit_sign: NotRequired[Union["ValueSign", LaterValue]]
    amount_sign: NotRequired[Union[Literal["own", "inverted", "repeats", "reverses"], LaterValue]]
    unmarked: NotRequired[Union[Literal["debit", "credit"], LaterValue]]
    currency: NotRequired[str]
    status: NotRequired["ImportMappingStatus"]
    balance: NotRequired[str]
    sheet: NotRequired[str]


class ImportPage(TypedDict):
    items: list["Import"]
    next_cursor: "NextCursor"


class ImportPreviewQuestionsItemChoicesItem(TypedDict):
    value: str
    reads_as: Union[str, None]


class ImportPreviewQuestionsItem(TypedDict):
    about: str
    message: str
    example: Union[str, None]
    choices: list["ImportPreviewQuestionsItemChoicesItem"]


class ImportPreviewLinesItem(TypedDict):
    file_line: int
    external_id: Union[str, None]
    amount_minor: int
    fee_minor: Union[int, None]
    currency: "CurrencyOfAmount"
    value_date: str
    booked_date: Union[str, None]
    reference: Union[str, None]
    counterparty: Union[str, None]
    description: "FreeText"
    group_key: Union[str, None]
    details: dict[str, Any]
    duplicate: bool


class ImportPreview(TypedDict):
    format: Union["ImportFormat", str]
    read_count: int
    duplicate_count: int
    refused_count: int
    skipped_count: int
    refusals: "LineRefusals"
    skips: "SkippedLines"
    warnings: "ImportWarnings"
    statements: "FileStatements"
    opening_balance_minor: Union[int, None]
    closing_balance_minor: Union[int, None]
    balance_holds: Union[bool, None]
    bytes_read: int
    version: Union[str, None]
    encoding: Union[str, None]
    columns: Union[list[Any], None]
    mapping: Union["ImportMapping", None]
    questions: list["ImportPreviewQuestionsItem"]
    lines: list["ImportPreviewLinesItem"]
    checked_count: int
    failure: Union[str, None]
    complete: bool


class ImportReportErrorsItem(TypedDict):
    line: int
    path: str
    message: str


class ImportReport(TypedDict):
    accepted: int
    refused: int
    errors: list["ImportReportErrorsItem"]


ImportStatus = Literal["queued", "reading", "done", "failed", "undoing", "undone"]

ImportWarning = Literal["nothing_stored", "skipped", "refused", "balance_differs", "running_balance_breaks", "several_accounts", "hidden_rows", "control_totals_differ"]

class ImportWarningsItem(TypedDict):
    code: Union["ImportWarning", str]
    message: str


ImportWarnings = list["ImportWarningsItem"]

class IncludeLineRequest(TypedDict):
    reason: str
    reconciliation_id: NotRequired[str]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class Integration(TypedDict):
    name: NotRequired[Union[str, None]]
    provider: NotRequired[Union[str, None]]
    status: NotRequired[Union[str, None]]
    config: NotRequired[Union[dict[str, Any], None]]
    operation: NotRequired[Union[str, None]]
    limit: NotRequired[Union[int, None]]
    id: str
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"
    soft_delete: bool
    deleted_at: Union[str, None]
    purge_at: Union[str, None]


class IntegrationPage(TypedDict):
    items: list["Integration"]
    next_cursor: "NextCursor"


class InternalProblem(TypedDict):
    status: NotRequired[Literal[500]]
    code: NotRequired[Literal["internal"]]


class InvalidRequestProblem(TypedDict):
    status: NotRequired[Literal[400]]
    code: NotRequired[Union[Literal["invalid_request", "tenant_required"], str]]


class Invitation(TypedDict):
    id: str
    email: str
    roles: list[Union["Role", str]]
    status: Union["InvitationStatus", str]
    created_at: "CreationTime"
    created_by: "Creator"
    sent_at: Union[str, None]
    expires_at: str
    accepted_at: Union[str, None]
    revoked_at: Union[str, None]
    revoked_by: Union[str, None]


class InvitationPage(TypedDict):
    items: list["Invitation"]
    next_cursor: "NextCursor"


InvitationStatus = Literal["pending", "accepted", "expired", "revoked"]

class IpNotAllowedOrBrowserForbiddenProblem(TypedDict):
    status: NotRequired[Literal[403]]
    code: NotRequired[Union[Literal["tenant_forbidden", "ip_not_allowed", "browser_forbidden"], str]]


class KnownName(TypedDict):
    left: str
    right: str
    confirmed: int


class LearntWeightsFindingsItem(TypedDict):
    finding: str
    share: float
    seen: float


class LearntWeightsTrackRecord(TypedDict):
    decided: int
    precision: Union[float, None]
    at_least: Union[float, None]
    proven: bool


class LearntWeights(TypedDict):
    confirmed: int
    rejected: int
    findings: list["LearntWeightsFindingsItem"]
    track_record: "LearntWeightsTrackRecord"
    names: list["KnownName"]


class LedgerRow(TypedDict):
    at: str
    kind: Union[Literal["set", "moved", "crossed", "paused", "resumed", "recalculated", "resolved", "dismissed", "reopened"], str]
    due_at: str
    threshold_minutes: Union[int, None]
    threshold_kind: Union[Union["ThresholdKind", str], None]
    elapsed_seconds: float
    worked_seconds: float
    closed_seconds: float
    paused_seconds: float
    moved_seconds: float
    remaining_seconds: float
    business_moved_seconds: Union[float, None]
    business_remaining_seconds: Union[float, None]
    actor: str
    actor_issuer: Union[str, None]
    actor_subject: Union[str, None]
    request_id: Union[str, None]


class LedgerSegment(TypedDict):
    starts_at: str
    ends_at: str
    kind: Union[Literal["worked", "closed", "paused"], str]


class LedgerSettings(TypedDict):
    datev_consultant: Union[int, None]
    datev_client: Union[int, None]
    datev_account_length: int
    fiscal_year_month: int
    sap_company_code: Union[str, None]
    push: Union["EntryPushSettings", None]


class LedgerSettingsInput(TypedDict):
    datev_consultant: NotRequired[Union[int, None]]
    datev_client: NotRequired[Union[int, None]]
    datev_account_length: NotRequired[int]
    fiscal_year_month: NotRequired[int]
    sap_company_code: NotRequired[Union[str, None]]
    push: NotRequired[Union["EntryPushInput", None]]


class Line(TypedDict):
    id: str
    source_id: str
    import_id: Union[str, None]
    file_line: Union[int, None]
    external_id: Union[str, None]
    amount_minor: int
    fee_minor: Union[int, None]
    currency: "CurrencyOfAmount"
    value_date: str
    booked_date: Union[str, None]
    reference: Union[str, None]
    counterparty: Union[str, None]
    description: "FreeText"
    group_key: Union[str, None]
    details: dict[str, Any]
    state: Union[Literal["open", "partly_matched", "matched", "excluded"], str]
    open_minor: int
    match_ids: list[str]
    exception_id: Union[str, None]
    created_at: "CreationTime"


class LineEvent(TypedDict):
    type: Union[Literal["added", "suggested", "matched", "confirmed", "rejected", "undone", "excluded", "included", "exception_opened", "exception_resolved", "exception_dismissed"], str]
    at: str
    actor: Union[str, None]
    reconciliation_id: Union[str, None]
    match_id: Union[str, None]
    exception_id: Union[str, None]
    import_id: Union[str, None]
    note: Union[str, None]


class LineExceptionPolicySeveritiesItem(TypedDict):
    from_minor: int
    severity: Union["Severity", LaterValue]


class LineExceptionPolicy(TypedDict):
    assigned_to: Union[str, None]
    severities: list["LineExceptionPolicySeveritiesItem"]
    most_a_run: int


class LineHistory(TypedDict):
    items: list["LineEvent"]


class LinePage(TypedDict):
    items: list["Line"]
    next_cursor: "NextCursor"


class LineRefusalsItem(TypedDict):
    line: Union[int, None]
    field: Union[str, None]
    message: str


LineRefusals = list["LineRefusalsItem"]

LineSide = Literal["left", "right"]

class LineSuggestion(TypedDict):
    line_ids: list[str]
    reconciliation_id: "OriginReconciliationId"
    method: str
    score: float
    difference_minor: int
    explanation: "MatchExplanation"


class LineSuggestions(TypedDict):
    items: list["LineSuggestion"]


class ListedEvent(TypedDict):
    id: str
    type: Union["EventKind", str]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    subject: Union[str, None]
    data: dict[str, Any]


class ListedEventPage(TypedDict):
    items: list["ListedEvent"]
    next_cursor: Union[str, None]
    resume_cursor: str
    as_of: "ResponseTime"


class LoggedMessage(TypedDict):
    headers: dict[str, str]
    body: Union[str, None]
    bytes: Union[int, None]
    truncated: bool


class LoggedRequest(TypedDict):
    id: str
    at: str
    operation: Union[str, None]
    method: str
    path: str
    query: str
    resource: Union[str, None]
    status: int
    error_code: Union[str, None]
    refused: bool
    duration_ms: int
    credential: Union["CallCredential", str]
    actor: Union[str, None]
    api_key_id: Union[str, None]
    address: Union[str, None]


class LoggedRequestDetail(TypedDict):
    id: str
    at: str
    operation: Union[str, None]
    method: str
    path: str
    query: str
    resource: Union[str, None]
    status: int
    error_code: Union[str, None]
    refused: bool
    duration_ms: int
    credential: Union["CallCredential", str]
    actor: Union[str, None]
    api_key_id: Union[str, None]
    address: Union[str, None]
    request: Union["LoggedMessage", None]
    response: Union["LoggedMessage", None]


class LoggedRequestPage(TypedDict):
    items: list["LoggedRequest"]
    next_cursor: "NextCursor"
    as_of: "ResponseTime"


class MarkEntryBatchExportedRequest(TypedDict):
    ledger_reference: NotRequired[Union[str, None]]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class MatchAdjustmentsItem(TypedDict):
    kind: Union["AdjustmentKind", str]
    amount_minor: int
    note: Union[str, None]


class MatchMembersItem(TypedDict):
    line_id: str
    side: Union["LineSide", str]
    allocated_minor: int
    value_date: NotRequired[str]
    reference: NotRequired[Union[str, None]]
    counterparty: NotRequired[Union[str, None]]


class Match(TypedDict):
    id: str
    reconciliation_id: "OriginReconciliationId"
    run_id: Union[str, None]
    state: Union["MatchState", str]
    shape: Union["MatchShape", str]
    method: str
    score: Union[float, None]
    margin: Union[float, None]
    currency: "CurrencyOfAmount"
    amount_minor: int
    residual_minor: int
    adjustments: list["MatchAdjustmentsItem"]
    explanation: "MatchExplanation"
    members: list["MatchMembersItem"]
    note: Union[str, None]
    decided_by: Union[str, None]
    decided_at: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"


class MatchDecisions(TypedDict):
    count: int
    items: list["Match"]


class MatchExplanationFieldsItem(TypedDict):
    field: str
    left: Union[str, None]
    right: Union[str, None]
    verdict: Union[Literal["equal", "close", "similar", "differs", "missing"], str]
    weight: Union[float, None]


class MatchExplanationTolerance(TypedDict):
    amount_used_minor: str
    amount_allowed_minor: float
    days: int
    days_before: Union[int, None]
    days_after: Union[int, None]


class MatchExplanationRunnerUp(TypedDict):
    side: Union["LineSide", str]
    line_id: str


class MatchExplanation(TypedDict):
    rule: str
    basis: Union[Literal["unique", "in_order", "nearest", "keyed", "sum", "evidence", "manual"], str]
    fields: list["MatchExplanationFieldsItem"]
    tolerance: "MatchExplanationTolerance"
    runner_up: "MatchExplanationRunnerUp"
    margin: Union[float, None]
    held: Union[Union[Literal["rule", "track_record", "score", "margin", "chance", "budget", "contradiction", "window"], str], None]
    note: Union[str, None]


class MatchPage(TypedDict):
    items: list["Match"]
    next_cursor: "NextCursor"


MatchShape = Literal["1:1", "1:n", "n:1", "n:m", "reversal"]

MatchState = Literal["suggested", "confirmed", "rejected", "undone"]

class MatchUndoneEventDataMatch(TypedDict):
    id: str
    reconciliation_id: "OriginReconciliationId"
    shape: Union["MatchShape", str]
    method: str
    currency: "CurrencyOfAmount"
    amount_minor: int
    residual_minor: int
    line_ids: list[str]


class MatchUndoneEventData(TypedDict):
    match: "MatchUndoneEventDataMatch"
    undone_by: str


class MatchUndoneEvent(TypedDict):
    type: Literal["match.undone"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "MatchUndoneEventData"


class MatchingRule(TypedDict):
    name: str
    kind: Union[Literal["exact", "tolerance", "reversal", "reference", "group", "score"], LaterValue]
    on: NotRequired[list[Union[Literal["value_date", "booked_date", "reference", "counterparty", "description", "group_key"], LaterValue]]]
    amount_tolerance_minor: NotRequired[int]
    amount_tolerance_bps: NotRequired[int]
    days_before: NotRequired[int]
    days_after: NotRequired[int]
    day_kind: NotRequired[Union[Literal["calendar", "business"], LaterValue]]
    max_group_size: NotRequired[int]
    residual: NotRequired[Union[Literal["none", "keep"], LaterValue]]
    then: Union[Literal["match", "suggest"], LaterValue]


class MePrincipal(TypedDict):
    type: Union[Literal["user", "api_key", "publishable_key", "service_role"], str]
    id: str
    name: str
    roles: list[str]
    scopes: list[str]


class Me(TypedDict):
    tenant_id: str
    tenant_name: Union[str, None]
    kind: Union[Literal["live", "sandbox"], str]
    sandbox_id: Union[str, None]
    principal: "MePrincipal"


class Member(TypedDict):
    name: str
    user: str
    roles: list[Union["Role", str]]
    source: Union[Literal["directory", "assignment"], str]


class MemberPage(TypedDict):
    items: list["Member"]
    next_cursor: "NextCursor"


MinorAmount = Union[int, str]

class MinutesBySeverity(TypedDict):
    critical: int
    high: int
    medium: int
    low: int


class NewApiKey(TypedDict):
    id: str
    name: str
    key_id: str
    scopes: list[str]
    expires_at: Union[str, None]
    ip_allowlist: list[str]
    created_at: "CreationTime"
    created_by: "Creator"
    key_secret: str
    warning: str


class NewLine(TypedDict):
    external_id: NotRequired[str]
    amount: NotRequired[str]
    amount_minor: NotRequired[int]
    fee: NotRequired[str]
    fee_minor: NotRequired[int]
    currency: NotRequired[str]
    value_date: str
    booked_date: NotRequired[str]
    reference: NotRequired[str]
    counterparty: NotRequired[str]
    description: NotRequired[str]
    group_key: NotRequired[str]
    details: NotRequired[dict[str, Any]]


class NewWebhookOauth(TypedDict):
    token_url: str
    client_id: str
    scope: NotRequired[str]


class NewWebhook(TypedDict):
    id: str
    url: str
    description: "FreeText"
    events: list[Union["EventKind", str]]
    filters: "WebhookFilters"
    header_names: list[str]
    max_per_minute: Union[int, None]
    oauth: "NewWebhookOauth"
    status: Union["WebhookStatus", str]
    disabled_at: Union[str, None]
    disabled_by: Union[str, None]
    disabled_reason: Union[Union["WebhookDisabledReason", str], None]
    disabled_detail: Union[str, None]
    health: Union["WebhookHealth", str]
    last_24h: "DeliveriesOfDay"
    last_7d: "DeliveriesOfWeek"
    failing_since: Union[str, None]
    disable_at: Union[str, None]
    last_success_at: Union[str, None]
    last_failure_at: Union[str, None]
    last_failure_kind: Union[Union["WebhookAttemptFailure", str], None]
    next_attempt_at: Union[str, None]
    missed_since: Union[str, None]
    secret_changed_at: Union[str, None]
    previous_secret_expires_at: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"
    secret: NotRequired[str]
    warning: NotRequired[str]


NextCursor = Union[str, None]

class NextPeriod(TypedDict):
    left_source_id: str
    right_source_id: str
    left_source: str
    right_source: str
    follows: str
    reconciliation_id: Union[str, None]
    name: str
    period_start: str
    period_end: str


class NextPeriods(TypedDict):
    items: list["NextPeriod"]
    skipped: list["SkippedPair"]
    dry_run: bool


class NotFoundProblem(TypedDict):
    status: NotRequired[Literal[404]]
    code: NotRequired[Literal["not_found"]]


class NotificationSettings(TypedDict):
    email: Union[str, None]
    exception_breached: Union["AlertScope", str]
    exception_at_risk: Union["AlertScope", str]
    assigned: bool
    mentioned: bool
    webhook_failing: bool
    api_key_expiring: bool
    connection_failing: bool


class OAuthClientInput(TypedDict):
    token_url: str
    client_id: str
    scope: NotRequired[str]
    client_secret: NotRequired[str]


OpenExceptionStatus = Literal["open", "in_review"]

class OpenHoursSpansItem(TypedDict):
    starts_at: str
    ends_at: str


class OpenHours(TypedDict):
    since: str
    until: str
    open_minutes: int
    spans: list["OpenHoursSpansItem"]


class OpenLineSuggestion(TypedDict):
    match_id: str
    score: Union[float, None]
    shape: Union["MatchShape", str]


class OpenLine(TypedDict):
    id: str
    side: Union["LineSide", str]
    currency: "CurrencyOfAmount"
    amount_minor: int
    open_minor: int
    fee_minor: Union[int, None]
    value_date: str
    booked_date: Union[str, None]
    reference: Union[str, None]
    counterparty: Union[str, None]
    description: "FreeText"
    group_key: Union[str, None]
    external_id: Union[str, None]
    suggestion: "OpenLineSuggestion"
    exception_id: Union[str, None]


class OpenLinePage(TypedDict):
    items: list["OpenLine"]
    next_cursor: "NextCursor"


class OpenNextPeriodsRequestPairsItem(TypedDict):
    left_source_id: str
    right_source_id: str


class OpenNextPeriodsRequest(TypedDict):
    through: str
    pairs: NotRequired[list["OpenNextPeriodsRequestPairsItem"]]
    dry_run: NotRequired[bool]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


OpeningHoursItem = TypedDict("OpeningHoursItem", {
    "day": Union["Weekday", str],
    "from": str,
    "to": str,
})

OpeningHours = list["OpeningHoursItem"]

OriginReconciliationId = str

class OutstandingLine(TypedDict):
    line_id: str
    side: Union["LineSide", str]
    value_date: str
    age_days: int
    currency: "CurrencyOfAmount"
    open_minor: int
    reference: Union[str, None]
    counterparty: Union[str, None]
    description: "FreeText"


class OverviewMine(TypedDict):
    breached_count: int
    due_count: int
    open_count: int


class OverviewMoneyItem(TypedDict):
    currency: "CurrencyOfAmount"
    open_count: int
    open_minor: "MinorAmount"
    breached_count: int
    breached_minor: "MinorAmount"
    due_count: int
    due_minor: "MinorAmount"


class OverviewOutlookHoursItem(TypedDict):
    due_before: str
    due_count: int


class OverviewOutlook(TypedDict):
    rate_since: str
    closed_count: int
    closed_per_hour: float
    hours: list["OverviewOutlookHoursItem"]


class OverviewDaysItem(TypedDict):
    day: str
    breached_count: int
    closed_count: int


class OverviewReconciliationsItemMoneyItem(TypedDict):
    currency: "CurrencyOfAmount"
    open_count: int
    open_minor: "MinorAmount"


class OverviewReconciliationsItem(TypedDict):
    id: str
    name: str
    open_count: int
    money: list["OverviewReconciliationsItemMoneyItem"]


class OverviewImportsItem(TypedDict):
    id: str
    source_id: str
    source_name: str
    file_name: Union[str, None]
    status: Union["ImportStatus", str]
    accepted_count: int
    refused_count: int
    created_at: "CreationTime"


class OverviewRunsItem(TypedDict):
    id: str
    reconciliation_id: "OriginReconciliationId"
    reconciliation_name: str
    status: Union["RunStatus", str]
    suggested_count: int
    open_count: int
    exceptions_opened: int
    created_at: "CreationTime"


class OverviewKeysCallsItem(TypedDict):
    id: str
    name: str
    call_count: int
    refused_count: int


class OverviewKeysExpiringItem(TypedDict):
    id: str
    name: str
    expires_at: str


class OverviewKeys(TypedDict):
    since: str
    calls: list["OverviewKeysCallsItem"]
    expiring: list["OverviewKeysExpiringItem"]


class OverviewWebhooksItemsItem(TypedDict):
    id: str
    url: str
    status: Union["WebhookStatus", str]
    failing_since: Union[str, None]
    attempt_count: int
    failure_count: int


class OverviewWebhooks(TypedDict):
    active_count: int
    disabled_count: int
    items: list["OverviewWebhooksItemsItem"]


class Overview(TypedDict):
    as_of: "ResponseTime"
    summary: "SlaSummary"
    mine: "OverviewMine"
    unassigned_count: int
    next: list["SlaItem"]
    my_next: list["SlaItem"]
    money: list["OverviewMoneyItem"]
    outlook: "OverviewOutlook"
    days: list["OverviewDaysItem"]
    reconciliations: list["OverviewReconciliationsItem"]
    imports: list["OverviewImportsItem"]
    runs: list["OverviewRunsItem"]
    keys: "OverviewKeys"
    webhooks: "OverviewWebhooks"


class PauseExceptionRequest(TypedDict):
    reason: str
    until: NotRequired[Union[str, None]]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class PausePolicyRulesItem(TypedDict):
    status: Union[Literal["in_review"], None]
    reason_code: Union[str, None]


class PausePolicy(TypedDict):
    max_minutes: Union[int, None]
    max_count: Union[int, None]
    rules: list["PausePolicyRulesItem"]


class PausePolicyInputRulesItem(TypedDict):
    status: NotRequired[Union[Literal["in_review"], None]]
    reason_code: NotRequired[Union[str, None]]


class PausePolicyInput(TypedDict):
    max_minutes: Union[int, None]
    max_count: Union[int, None]
    rules: list["PausePolicyInputRulesItem"]


class PayloadTooLargeProblem(TypedDict):
    status: NotRequired[Literal[413]]
    code: NotRequired[Literal["payload_too_large"]]


class PeriodCheck(TypedDict):
    check: Union[Literal["period_over", "files", "balances", "suggestions", "exceptions", "difference", "evidence", "second_person", "signatures"], str]
    outcome: Union[Literal["pass", "warn", "block"], str]
    count: Union[int, None]
    detail: str


class PeriodChecklist(TypedDict):
    items: list["PeriodCheck"]
    sources: list["SourceCoverage"]
    sign_off: "SignOff"


class PeriodProofClosing(TypedDict):
    digest: Union[str, None]
    holds: Union[bool, None]


class PeriodProof(TypedDict):
    items: "AmountsBySide"
    holds: bool
    closing: "PeriodProofClosing"
    suggestions_count: int
    open_exceptions: int
    days_until_over: int


class PeriodSignature(TypedDict):
    kind: Union[Literal["prepared", "reviewed"], str]
    level: int
    signed_by: str
    issuer: str
    subject: str
    signed_at: str
    digest: str
    note: Union[str, None]


class PreconditionFailedProblem(TypedDict):
    status: NotRequired[Literal[412]]
    code: NotRequired[Literal["precondition_failed"]]


class PrepareReconciliationRequest(TypedDict):
    note: NotRequired[str]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class PreviewEntriesRequest(TypedDict):
    rules: NotRequired["EntryRulesInput"]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class PreviewWebhookFiltersRequest(TypedDict):
    events: list["EventKind"]
    filters: NotRequired["WebhookFilters"]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class ProblemErrorsItem(TypedDict):
    path: str
    message: str


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: Union["ErrorCode", str]
    request_id: str
    reason: NotRequired[Union["ConflictReason", str]]
    retryable: NotRequired[bool]
    errors: NotRequired[list["ProblemErrorsItem"]]


class Proof(TypedDict):
    items: "AmountsBySide"
    holds: bool


PutCalendarRequestWeeklyItem = TypedDict("PutCalendarRequestWeeklyItem", {
    "day": "Weekday",
    "from": str,
    "to": str,
})

class PutCalendarRequest(TypedDict):
    name: str
    time_zone: str
    weekly: list["PutCalendarRequestWeeklyItem"]
    special_days: NotRequired[list["SpecialDayInput"]]
    apply_to: NotRequired[Literal["new", "open"]]
    dry_run: NotRequired[bool]


class PutEntryRulesRequest(TypedDict):
    rules: "EntryRulesInput"
    ledger: NotRequired["LedgerSettingsInput"]


class PutFirstStepsRequest(TypedDict):
    dismissed: bool


class PutNotificationSettingsRequest(TypedDict):
    exception_breached: "AlertScope"
    exception_at_risk: "AlertScope"
    assigned: bool
    mentioned: bool
    webhook_failing: bool
    api_key_expiring: bool
    connection_failing: bool


class PutRulesRequestForgetNamesItem(TypedDict):
    left: str
    right: str


class PutRulesRequest(TypedDict):
    rules: list["MatchingRule"]
    automatic: NotRequired["AutomaticMatching"]
    fees: NotRequired["FeeHandling"]
    four_eyes: NotRequired[bool]
    review_levels: NotRequired["ReviewLevels"]
    close_days: NotRequired[int]
    checks: NotRequired["CheckPolicyInput"]
    evidence_from_minor: NotRequired[Union[int, None]]
    calendar_id: NotRequired["CalendarId"]
    exceptions: NotRequired["LineExceptionPolicy"]
    reset_learning: NotRequired[bool]
    forget_names: NotRequired[list["PutRulesRequestForgetNamesItem"]]
    dry_run: NotRequired[bool]


class PutSlaPolicyRequestMinutesToResolve(TypedDict):
    critical: int
    high: int
    medium: int
    low: int


class PutSlaPolicyRequestCalendarBySeverity(TypedDict):
    critical: NotRequired[Union[str, None]]
    high: NotRequired[Union[str, None]]
    medium: NotRequired[Union[str, None]]
    low: NotRequired[Union[str, None]]


class PutSlaPolicyRequest(TypedDict):
    minutes_to_resolve: "PutSlaPolicyRequestMinutesToResolve"
    at_risk_thresholds: list[int]
    at_risk_business_thresholds: NotRequired[list[int]]
    calendar_id: NotRequired[Union[str, None]]
    calendar_by_severity: NotRequired["PutSlaPolicyRequestCalendarBySeverity"]
    pause: NotRequired["PausePolicyInput"]
    dry_run: NotRequired[bool]


class RateLimitedProblem(TypedDict):
    status: NotRequired[Literal[429]]
    code: NotRequired[Literal["rate_limited"]]


class ReadIcsRequest(TypedDict):
    ics: str
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class Reconciliation(TypedDict):
    id: str
    name: str
    status: Union["ReconciliationStatus", str]
    period_start: str
    period_end: str
    left_source: str
    right_source: str
    matched_count: int
    unmatched_count: int
    left_source_id: Union[str, None]
    right_source_id: Union[str, None]
    auto_run: bool
    preparing: bool
    closing: bool
    closing_failure: Union[str, None]
    excluded_count: int
    open_exceptions: int
    closed_at: Union[str, None]
    closed_by: Union[str, None]
    sign_off: Union["SignOff", None]
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"


class ReconciliationClosedEventData(TypedDict):
    reconciliation: "Reconciliation"


class ReconciliationClosedEvent(TypedDict):
    type: Literal["reconciliation.closed"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ReconciliationClosedEventData"


class ReconciliationPage(TypedDict):
    items: list["Reconciliation"]
    next_cursor: "NextCursor"


class ReconciliationPreparedEventData(TypedDict):
    reconciliation: "Reconciliation"


class ReconciliationPreparedEvent(TypedDict):
    type: Literal["reconciliation.prepared"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ReconciliationPreparedEventData"


class ReconciliationReopenedEventData(TypedDict):
    reconciliation: "Reconciliation"
    reason: str


class ReconciliationReopenedEvent(TypedDict):
    type: Literal["reconciliation.reopened"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ReconciliationReopenedEventData"


class ReconciliationReviewedEventData(TypedDict):
    reconciliation: "Reconciliation"


class ReconciliationReviewedEvent(TypedDict):
    type: Literal["reconciliation.reviewed"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "ReconciliationReviewedEventData"


class ReconciliationStatementBalancesItem(TypedDict):
    currency: "CurrencyOfAmount"
    side: Union["LineSide", str]
    opening_minor: Union[int, str]
    lines_minor: Union[int, str]
    line_count: int
    closing_minor: "MinorAmount"
    outstanding_minor: Union[int, str]
    excluded_minor: "MinorAmount"
    stated_opening_minor: NotRequired[Union[Union[int, str], None]]
    stated_closing_minor: NotRequired[Union[Union[int, str], None]]
    stated_on: NotRequired[Union[str, None]]
    timing_minor: NotRequired[Union[Union[int, str], None]]
    unaccounted_minor: NotRequired[Union[Union[int, str], None]]


class ReconciliationStatementDifferencesItem(TypedDict):
    currency: "CurrencyOfAmount"
    adjustments_minor: "MinorAmount"
    residual_minor: "MinorAmount"
    difference_minor: Union[int, str]
    unexplained_minor: NotRequired[Union[Union[int, str], None]]


class ReconciliationStatementAgingItem(TypedDict):
    currency: "CurrencyOfAmount"
    side: Union["LineSide", str]
    days_from: int
    line_count: int
    open_minor: "MinorAmount"
    receipt_count: NotRequired[int]
    receipt_minor: NotRequired[Union[int, str]]
    payment_count: NotRequired[int]
    payment_minor: NotRequired[Union[int, str]]


class ReconciliationStatementAdjustmentsItem(TypedDict):
    match_id: str
    currency: "CurrencyOfAmount"
    kind: Union["AdjustmentKind", str]
    amount_minor: int
    note: Union[str, None]
    decided_by: Union[str, None]
    decided_at: NotRequired[str]


class ReconciliationStatement(TypedDict):
    reconciliation_id: "OriginReconciliationId"
    name: str
    period_start: str
    period_end: str
    left_source: str
    right_source: str
    left_kind: NotRequired[Union["SourceKind", str]]
    right_kind: NotRequired[Union["SourceKind", str]]
    as_of: "ResponseTime"
    closed_at: Union[str, None]
    closed_by: Union[str, None]
    balances: list["ReconciliationStatementBalancesItem"]
    differences: list["ReconciliationStatementDifferencesItem"]
    aging: list["ReconciliationStatementAgingItem"]
    outstanding_count: int
    outstanding: list["OutstandingLine"]
    adjustment_count: NotRequired[int]
    adjustments: list["ReconciliationStatementAdjustmentsItem"]
    residual_count: NotRequired[int]
    residuals: NotRequired[list["StatementResidual"]]
    exclusion_count: NotRequired[int]
    exclusions: NotRequired[list["StatementExclusion"]]
    evidence: NotRequired["StatementEvidence"]
    entries: NotRequired["StatementEntries"]
    proof: "Proof"


ReconciliationStatus = Literal["open", "in_progress", "completed", "archived"]

class RecoverWebhookRequest(TypedDict):
    since: str
    dry_run: NotRequired[bool]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class ReleaseNote(TypedDict):
    title: NotRequired[Union[str, None]]
    version: NotRequired[Union[str, None]]
    body: NotRequired[Union[str, None]]
    published: NotRequired[Union[bool, None]]
    published_at: NotRequired[Union[str, None]]
    operation: NotRequired[Union[str, None]]
    limit: NotRequired[Union[int, None]]
    id: str
    created_at: "CreationTime"
    created_by: Union[str, None]
    updated_at: "ChangeTime"
    soft_delete: bool
    deleted_at: Union[str, None]
    purge_at: Union[str, None]


class ReleaseNotePage(TypedDict):
    items: list["ReleaseNote"]
    next_cursor: "NextCursor"


class RemoveEvidenceRequest(TypedDict):
    reason: str


class RemoveTenantMemberRequest(TypedDict):
    reason: NotRequired[Union[str, None]]
    hand_over_to: NotRequired[Union[str, None]]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class RemoveTenantMemberResult(TypedDict):
    id: str
    name: str
    user: str
    email: Union[str, None]
    roles: list[Union["Role", str]]
    status: Union["TenantMemberStatus", str]
    created_at: Union[str, None]
    last_sign_in_at: Union[str, None]
    open_exceptions: int
    handed_over: int


class ReopenReconciliationRequest(TypedDict):
    reason: str
    idempotency_key: NotRequired["RequestIdempotencyKey"]


RequestIdempotencyKey = str

class RequestStatsStepsItem(TypedDict):
    start: str
    calls: int
    client_errors: int
    server_errors: int
    p50_ms: int
    p99_ms: int


class RequestStats(TypedDict):
    as_of: "ResponseTime"
    since: str
    until: str
    step_seconds: int
    steps: list["RequestStatsStepsItem"]


class ResetSandboxRequest(TypedDict):
    sample: NotRequired[bool]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


ResponseTime = str

class ReturnReconciliationRequest(TypedDict):
    reason: str
    idempotency_key: NotRequired["RequestIdempotencyKey"]


ReviewLevels = int

class ReviewReconciliationRequest(TypedDict):
    note: NotRequired[str]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class RevokeApiKeyRequest(TypedDict):
    reason: NotRequired[Union[str, None]]
    disable_webhooks: NotRequired[bool]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


Role = Literal["tenant_admin", "tenant_analyst", "tenant_lead", "tenant_auditor"]

class RoleRequiredOrBrowserForbiddenProblem(TypedDict):
    status: NotRequired[Literal[403]]
    code: NotRequired[Union[Literal["tenant_forbidden", "role_required", "browser_forbidden"], str]]


class RoleRequiredOrIpNotAllowedOrBrowserForbiddenProblem(TypedDict):
    status: NotRequired[Literal[403]]
    code: NotRequired[Union[Literal["tenant_forbidden", "role_required", "ip_not_allowed", "browser_forbidden"], str]]


class RoleRequiredProblem(TypedDict):
    status: NotRequired[Literal[403]]
    code: NotRequired[Union[Literal["tenant_forbidden", "role_required"], str]]


class RotateApiKeyRequest(TypedDict):
    grace_period_seconds: NotRequired[int]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class RotateWebhookSecretRequest(TypedDict):
    secret: NotRequired[str]
    grace_period_seconds: NotRequired[int]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class RuleSet(TypedDict):
    rules: list["MatchingRule"]
    version: int
    automatic: Union["AutomaticMatching", str]
    fees: Union["FeeHandling", str]
    four_eyes: bool
    review_levels: "ReviewLevels"
    close_days: int
    checks: "CheckPolicy"
    evidence_from_minor: Union[int, None]
    calendar_id: "CalendarId"
    exceptions: "LineExceptionPolicy"
    learnt: "LearntWeights"
    updated_at: Union[str, None]
    updated_by: Union[str, None]


class RuleSetChange(TypedDict):
    rules: list["MatchingRule"]
    version: int
    automatic: Union["AutomaticMatching", str]
    fees: Union["FeeHandling", str]
    four_eyes: bool
    review_levels: "ReviewLevels"
    close_days: int
    checks: "CheckPolicy"
    evidence_from_minor: Union[int, None]
    calendar_id: "CalendarId"
    exceptions: "LineExceptionPolicy"
    learnt: "LearntWeights"
    updated_at: Union[str, None]
    updated_by: Union[str, None]
    dry_run: bool
    run_id: Union[str, None]


class RunWaterfallItemAmountsItem(TypedDict):
    currency: "CurrencyOfAmount"
    left_minor: "MinorAmount"
    right_minor: "MinorAmount"


class RunWaterfallItem(TypedDict):
    kind: Union["StepKind", str]
    rule: str
    matches: int
    suggested: int
    left_lines: int
    right_lines: int
    amounts: list["RunWaterfallItemAmountsItem"]


class RunChanged(TypedDict):
    added: int
    kept: int
    replaced: int
    undone: int
    left_out: int


class Run(TypedDict):
    id: str
    reconciliation_id: "OriginReconciliationId"
    status: Union["RunStatus", str]
    dry_run: bool
    stage: Union[str, None]
    lines_done: int
    lines_total: int
    waterfall: list["RunWaterfallItem"]
    changed: "RunChanged"
    impact: Union["RunImpact", None]
    suggested_count: int
    open_count: int
    exceptions_opened: int
    exceptions_held_back: int
    rules_version: Union[int, None]
    calendar_id: Union[str, None]
    calendar_version: Union[int, None]
    engine_version: Union[str, None]
    digest: Union[str, None]
    failure: Union[str, None]
    duration_ms: Union[int, None]
    created_at: "CreationTime"
    created_by: "Creator"
    started_at: Union[str, None]
    finished_at: Union[str, None]


RunChange = Literal["newly_matched", "no_longer_matched", "changed"]

class RunDoneEventData(TypedDict):
    run: "Run"


class RunDoneEvent(TypedDict):
    type: Literal["run.done"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "RunDoneEventData"


class RunImpactNewlyMatched(TypedDict):
    matches: int
    amounts: "AmountsByCurrency"


class RunImpactNoLongerMatched(TypedDict):
    matches: int
    amounts: "AmountsByCurrency"


class RunImpactChanged(TypedDict):
    matches: int
    amounts: "AmountsByCurrency"


class RunImpactExceptions(TypedDict):
    avoided: int
    added: int


class RunImpactSamplesItem(TypedDict):
    change: Union["RunChange", str]
    rule: str
    line_ids: list[str]
    currency: "CurrencyOfAmount"
    amount_minor: int


class RunImpact(TypedDict):
    newly_matched: "RunImpactNewlyMatched"
    no_longer_matched: "RunImpactNoLongerMatched"
    changed: "RunImpactChanged"
    exceptions: "RunImpactExceptions"
    samples: list["RunImpactSamplesItem"]


class RunPage(TypedDict):
    items: list["Run"]
    next_cursor: "NextCursor"


RunStatus = Literal["queued", "running", "done", "failed"]

class Sandbox(TypedDict):
    tenant_id: str
    reconciliation_id: Union[str, None]


Scope = Literal["read:reconciliations", "write:reconciliations", "read:exceptions", "write:exceptions", "read:webhooks", "write:webhooks", "read:integrations", "write:integrations", "read:troubleshooting", "write:troubleshooting", "read:release-notes", "write:release-notes", "read:requests", "read:security-events"]

class SecurityEvent(TypedDict):
    id: str
    seq: int
    at: str
    type: str
    actor: str
    actor_issuer: Union[str, None]
    actor_subject: Union[str, None]
    credential: Union[Literal["user", "api_key", "publishable_key", "service_role", "none", "system"], str]
    home_tenant_id: Union[str, None]
    cross_tenant: bool
    operation: Union[str, None]
    target: Union[str, None]
    address: Union[str, None]
    request_id: Union[str, None]
    reason: Union[str, None]
    details: dict[str, Any]
    hash: str
    prev_hash: Union[str, None]


class SecurityEventPage(TypedDict):
    items: list["SecurityEvent"]
    next_cursor: "NextCursor"


Severity = Literal["critical", "high", "medium", "low"]

class SignOffRevoked(TypedDict):
    at: str
    by: str
    reason: str


class SignOff(TypedDict):
    state: Union[Literal["open", "prepared", "reviewed"], str]
    levels: int
    signatures: list["PeriodSignature"]
    revoked: "SignOffRevoked"


class SignedStatement(TypedDict):
    number: int
    digest: Union[str, None]
    closed_by: str
    closer_issuer: Union[str, None]
    closer_subject: Union[str, None]
    closed_at: str
    signatures: list["PeriodSignature"]
    reopened_at: Union[str, None]
    reopened_by: Union[str, None]
    reason: Union[str, None]
    statement: "ReconciliationStatement"


SkipReason = Literal["pending", "declined", "information", "expected", "total", "non_monetary", "unsupported", "status"]

class SkippedException(TypedDict):
    id: str
    title: str
    message: str


class SkippedLinesItem(TypedDict):
    line: int
    reason: Union["SkipReason", str]
    text: str


SkippedLines = list["SkippedLinesItem"]

class SkippedPair(TypedDict):
    left_source_id: str
    right_source_id: str
    reason: Union[Literal["up_to_date", "archived"], str]


class SlaChange(TypedDict):
    id: str
    changed_at: str
    exception: Union["SlaItem", None]


class SlaChanges(TypedDict):
    items: list["SlaChange"]
    next_cursor: "NextCursor"
    summary: "SlaSummary"
    as_of: "ResponseTime"


class SlaException(TypedDict):
    id: str
    title: str
    severity: Union["Severity", str]
    assigned_to: Union[str, None]
    due_at: str
    minutes_to_breach: Union[int, None]
    breach_risk: Union[Union["BreachRisk", str], None]
    business_minutes_remaining: Union[int, None]
    calendar_id: Union[str, None]
    paused_at: Union[str, None]
    paused_until: Union[str, None]
    pause_reason: Union[str, None]
    status: Union["ExceptionStatus", str]
    reason_code: Union[str, None]
    amount_minor: Union[int, None]
    currency: Union[str, None]
    reconciliation_id: Union[str, None]
    line_id: Union[str, None]
    suggested_match_id: Union[str, None]
    details: dict[str, Any]
    resolution: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"
    closed_at: Union[str, None]


class SlaExceptionPage(TypedDict):
    items: list["SlaException"]
    next_cursor: "NextCursor"


class SlaFacetsFacets(TypedDict):
    breach_risk: list["FacetValue"]
    status: list["FacetValue"]
    assigned_to: list["FacetValue"]
    reconciliation_id: list["FacetValue"]
    reason_code: list["FacetValue"]
    severity: list["FacetValue"]
    currency: list["FacetValue"]


class SlaFacets(TypedDict):
    total: int
    paused_count: int
    facets: "SlaFacetsFacets"
    complete: bool
    as_of: "ResponseTime"


class SlaItem(TypedDict):
    id: str
    title: str
    severity: Union["Severity", str]
    assigned_to: Union[str, None]
    due_at: str
    minutes_to_breach: int
    breach_risk: Union["BreachRisk", str]
    business_minutes_remaining: Union[int, None]
    calendar_id: Union[str, None]
    paused_at: Union[str, None]
    paused_until: Union[str, None]
    pause_reason: Union[str, None]
    status: Union["OpenExceptionStatus", str]
    reason_code: Union[str, None]
    amount_minor: Union[int, None]
    currency: Union[str, None]
    reconciliation_id: Union[str, None]
    line_id: Union[str, None]
    suggested_match_id: Union[str, None]
    details: dict[str, Any]
    resolution: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"
    closed_at: Union[str, None]


class SlaList(TypedDict):
    items: list["SlaItem"]
    next_cursor: "NextCursor"
    summary: "SlaSummary"
    as_of: "ResponseTime"


class SlaPolicy(TypedDict):
    minutes_to_resolve: "MinutesBySeverity"
    at_risk_thresholds: list[int]
    at_risk_business_thresholds: list[int]
    calendar_id: Union[str, None]
    calendar_by_severity: "CalendarBySeverity"
    pause: "PausePolicy"
    updated_at: "ChangeTime"
    updated_by: str


class SlaPolicyChange(TypedDict):
    minutes_to_resolve: "MinutesBySeverity"
    at_risk_thresholds: list[int]
    at_risk_business_thresholds: list[int]
    calendar_id: Union[str, None]
    calendar_by_severity: "CalendarBySeverity"
    pause: "PausePolicy"
    updated_at: "ChangeTime"
    updated_by: str
    dry_run: bool
    impact: "SlaPolicyImpact"


class SlaPolicyImpact(TypedDict):
    changed: int
    earlier: int
    later: int
    newly_breached: int
    no_longer_breached: int
    by_severity: "CountBySeverity"


class SlaReport(TypedDict):
    since: str
    until: str
    by: Union["SlaReportGrouping", str]
    rows: list["SlaReportRow"]


SlaReportGrouping = Literal["day", "severity", "assigned_to"]

class SlaReportRow(TypedDict):
    key: Union[str, None]
    opened: int
    resolved: int
    breached: int
    breach_rate: Union[float, None]
    median_minutes_to_resolve: Union[float, None]
    p90_minutes_to_resolve: Union[float, None]


SlaSort = Literal["due_at", "severity", "assigned_to", "breach_risk", "amount"]

class SlaSummary(TypedDict):
    breached_count: int
    at_risk_count: int
    on_track_count: int
    total_open: int


class Source(TypedDict):
    id: str
    name: str
    kind: Union["SourceKind", str]
    currency: "CurrencyOfAmount"
    time_zone: str
    sign: Union["SourceSign", str]
    mapping: Union["ImportMapping", None]
    grace_days: int
    line_count: int
    last_import_at: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"


class SourceBalance(TypedDict):
    id: str
    source_id: str
    currency: "CurrencyOfAmount"
    account: Union[str, None]
    period_start: Union[str, None]
    period_end: str
    opening_minor: Union[int, None]
    closing_minor: int
    import_id: Union[str, None]
    reason: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"


class SourceBalancePage(TypedDict):
    items: list["SourceBalance"]
    next_cursor: "NextCursor"


class SourceCoverage(TypedDict):
    side: Union["LineSide", str]
    name: str
    until: Union[str, None]
    missing_days: int
    has_balance: bool
    breaks: list["StatementBreak"]


SourceKind = Literal["bank_statement", "ledger", "processor", "orders", "other"]

class SourcePage(TypedDict):
    items: list["Source"]
    next_cursor: "NextCursor"


SourceSign = Literal["as_is", "inverted"]

SpecialDayIntervalsItem = TypedDict("SpecialDayIntervalsItem", {
    "from": str,
    "to": str,
})

class SpecialDay(TypedDict):
    date: str
    name: Union[str, None]
    intervals: list["SpecialDayIntervalsItem"]


SpecialDayInputIntervalsItem = TypedDict("SpecialDayInputIntervalsItem", {
    "from": str,
    "to": str,
})

class SpecialDayInput(TypedDict):
    date: str
    name: NotRequired[Union[str, None]]
    intervals: NotRequired[list["SpecialDayInputIntervalsItem"]]


class StateSourceBalanceRequest(TypedDict):
    day: str
    amount: NotRequired[str]
    amount_minor: NotRequired[int]
    currency: NotRequired[str]
    reason: str
    idempotency_key: NotRequired["RequestIdempotencyKey"]


StatementBreak = TypedDict("StatementBreak", {
    "kind": Union[Literal["gap", "overlap"], str],
    "from": str,
    "to": str,
    "minor": Union[int, str],
})

class StatementEntries(TypedDict):
    count: int
    sha256: str


class StatementEvidence(TypedDict):
    count: int
    sha256: str


class StatementExclusion(TypedDict):
    line_id: str
    side: Union["LineSide", str]
    value_date: str
    currency: "CurrencyOfAmount"
    amount_minor: int
    reference: Union[str, None]
    counterparty: Union[str, None]
    description: "FreeText"
    reason: str
    decided_by: str
    decided_at: str


class StatementResidual(TypedDict):
    match_id: str
    line_id: str
    value_date: str
    currency: "CurrencyOfAmount"
    amount_minor: int
    reference: Union[str, None]
    counterparty: Union[str, None]
    description: "FreeText"
    reason: str
    decided_by: Union[str, None]
    decided_at: str


class StatementSignature(TypedDict):
    number: int
    digest: Union[str, None]
    closed_by: str
    closer_issuer: Union[str, None]
    closer_subject: Union[str, None]
    closed_at: str
    signatures: list["PeriodSignature"]
    reopened_at: Union[str, None]
    reopened_by: Union[str, None]
    reason: Union[str, None]


class StatementSignaturePage(TypedDict):
    items: list["StatementSignature"]
    next_cursor: "NextCursor"


StepKind = Literal["rule", "people", "excluded"]

class SuggestionBand(TypedDict):
    method: str
    score_from: float
    score_below: Union[float, None]
    count: int
    amounts: "AmountsByCurrency"
    confirmed_count: int
    rejected_count: int


class SuggestionBandsSuggestedItem(TypedDict):
    currency: "CurrencyOfAmount"
    side: Union["LineSide", str]
    line_count: int
    open_minor: Union[int, str]


class SuggestionBands(TypedDict):
    items: list["SuggestionBand"]
    suggested: list["SuggestionBandsSuggestedItem"]


class SuggestionSample(TypedDict):
    count: int
    amounts: "AmountsByCurrency"
    items: list["Match"]


class TenantMember(TypedDict):
    id: str
    name: str
    user: str
    email: Union[str, None]
    roles: list[Union["Role", str]]
    status: Union["TenantMemberStatus", str]
    created_at: Union[str, None]
    last_sign_in_at: Union[str, None]
    open_exceptions: int


class TenantMemberPage(TypedDict):
    items: list["TenantMember"]
    next_cursor: "NextCursor"


TenantMemberStatus = Literal["active", "suspended"]

TestMark = Literal[True]

class TestWebhookRequest(TypedDict):
    type: NotRequired["EventKind"]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


ThresholdKind = Literal["wall_clock", "business"]

class TimeToBreachBucketsItem(TypedDict):
    from_minutes: Union[int, None]
    to_minutes: Union[int, None]
    breach_risk: Union["BreachRisk", str]
    open_count: int


class TimeToBreach(TypedDict):
    buckets: list["TimeToBreachBucketsItem"]
    summary: "SlaSummary"
    as_of: "ResponseTime"


class TroubleshootingGuide(TypedDict):
    title: NotRequired[Union[str, None]]
    symptom: NotRequired[Union[str, None]]
    resolution: NotRequired[Union[str, None]]
    published: NotRequired[Union[bool, None]]
    operation: NotRequired[Union[str, None]]
    limit: NotRequired[Union[int, None]]
    id: str
    created_at: "CreationTime"
    created_by: Union[str, None]
    updated_at: "ChangeTime"
    soft_delete: bool
    deleted_at: Union[str, None]
    purge_at: Union[str, None]


class TroubleshootingGuidePage(TypedDict):
    items: list["TroubleshootingGuide"]
    next_cursor: "NextCursor"


class UnauthenticatedProblem(TypedDict):
    status: NotRequired[Literal[401]]
    code: NotRequired[Literal["unauthenticated"]]


class UnavailableProblem(TypedDict):
    status: NotRequired[Literal[503]]
    code: NotRequired[Literal["unavailable"]]


class UnsupportedMediaTypeProblem(TypedDict):
    status: NotRequired[Literal[415]]
    code: NotRequired[Literal["unsupported_media_type"]]


class UpdateAlertChannelRequest(TypedDict):
    name: NotRequired[str]
    url: NotRequired[str]
    kinds: NotRequired[list["AlertChannelKind"]]


class UpdateApiKeyRequest(TypedDict):
    name: NotRequired[str]
    description: NotRequired["FreeText"]
    scopes: NotRequired[list["Scope"]]
    expires_at: NotRequired[Union[str, None]]
    ip_allowlist: NotRequired[list[str]]


class UpdateConnectionRequest(TypedDict):
    address: NotRequired[str]
    allowed_senders: NotRequired[list[str]]
    auth: NotRequired["ConnectionAuth"]
    user_name: NotRequired[Union[str, None]]
    region: NotRequired[Union[str, None]]
    file_glob: NotRequired[str]
    schedule: NotRequired["ConnectionScheduleInput"]
    afterwards: NotRequired["FileAfterwards"]
    move_to: NotRequired[Union[str, None]]
    stable_seconds: NotRequired[int]
    waits_for_marker: NotRequired[bool]
    assigned_to: NotRequired[Union[str, None]]
    host_key: NotRequired[Union[str, None]]
    credential: NotRequired[str]
    status: NotRequired[Literal["active", "paused"]]


class UpdateExceptionRequest(TypedDict):
    title: NotRequired[str]
    severity: NotRequired["Severity"]
    assigned_to: NotRequired[Union[str, None]]
    due_at: NotRequired[str]
    reason_code: NotRequired[Union[str, None]]
    amount_minor: NotRequired[Union[int, None]]
    currency: NotRequired[Union["Currency", None]]
    reconciliation_id: NotRequired[Union[str, None]]
    status: NotRequired["ExceptionStatus"]
    details: NotRequired[Union[dict[str, Any], None]]
    resolution: NotRequired[Union[str, None]]


class UpdateExceptionsRequestPatch(TypedDict):
    severity: NotRequired["Severity"]
    assigned_to: NotRequired[Union[str, None]]
    due_at: NotRequired[str]
    reason_code: NotRequired[Union[str, None]]
    status: NotRequired["ExceptionStatus"]
    resolution: NotRequired[Union[str, None]]


class UpdateExceptionsRequestPause(TypedDict):
    reason: str
    until: NotRequired[Union[str, None]]


class UpdateExceptionsRequest(TypedDict):
    ids: NotRequired[list[str]]
    filter: NotRequired["ExceptionFilters"]
    expected_count: NotRequired[int]
    cursor: NotRequired[str]
    patch: NotRequired["UpdateExceptionsRequestPatch"]
    pause: NotRequired["UpdateExceptionsRequestPause"]
    resume: NotRequired[Literal[True]]
    idempotency_key: NotRequired["RequestIdempotencyKey"]


class UpdateIntegrationRequest(TypedDict):
    tenantId: NotRequired[str]
    operation: NotRequired[Union[str, None]]
    limit: NotRequired[Union[int, None]]
    name: NotRequired[Union[str, None]]
    provider: NotRequired[Union[str, None]]
    status: NotRequired[Union[str, None]]
    config: NotRequired[Union[dict[str, Any], None]]
    id: NotRequired[Any]
    created_at: NotRequired[Any]
    created_by: NotRequired[Any]
    updated_at: NotRequired[Any]
    soft_delete: NotRequired[Any]
    deleted_at: NotRequired[Any]
    purge_at: NotRequired[Any]
    tenant_id: NotRequired[Any]
    idempotencyKey: NotRequired[Any]


class UpdateReconciliationRequest(TypedDict):
    name: NotRequired[str]
    status: NotRequired["ReconciliationStatus"]
    period_start: NotRequired[str]
    period_end: NotRequired[str]
    left_source: NotRequired[str]
    right_source: NotRequired[str]
    matched_count: NotRequired[int]
    unmatched_count: NotRequired[int]
    auto_run: NotRequired[bool]


class UpdateReleaseNoteRequest(TypedDict):
    tenantId: NotRequired[str]
    operation: NotRequired[Union[str, None]]
    limit: NotRequired[Union[int, None]]
    title: NotRequired[Union[str, None]]
    version: NotRequired[Union[str, None]]
    body: NotRequired[Union[str, None]]
    published: NotRequired[Union[bool, None]]
    published_at: NotRequired[Union[str, None]]
    id: NotRequired[Any]
    created_at: NotRequired[Any]
    created_by: NotRequired[Any]
    updated_at: NotRequired[Any]
    soft_delete: NotRequired[Any]
    deleted_at: NotRequired[Any]
    purge_at: NotRequired[Any]
    tenant_id: NotRequired[Any]
    idempotencyKey: NotRequired[Any]


class UpdateSourceRequest(TypedDict):
    name: NotRequired[str]
    kind: NotRequired["SourceKind"]
    currency: NotRequired[str]
    time_zone: NotRequired[str]
    sign: NotRequired["SourceSign"]
    mapping: NotRequired[Union["ImportMapping", None]]
    grace_days: NotRequired[int]


class UpdateTenantMemberRequest(TypedDict):
    roles: list["Role"]


class UpdateTroubleshootingGuideRequest(TypedDict):
    tenantId: NotRequired[str]
    operation: NotRequired[Union[str, None]]
    limit: NotRequired[Union[int, None]]
    title: NotRequired[Union[str, None]]
    symptom: NotRequired[Union[str, None]]
    resolution: NotRequired[Union[str, None]]
    published: NotRequired[Union[bool, None]]
    id: NotRequired[Any]
    created_at: NotRequired[Any]
    created_by: NotRequired[Any]
    updated_at: NotRequired[Any]
    soft_delete: NotRequired[Any]
    deleted_at: NotRequired[Any]
    purge_at: NotRequired[Any]
    tenant_id: NotRequired[Any]
    idempotencyKey: NotRequired[Any]


class UpdateViewRequest(TypedDict):
    name: NotRequired[str]
    shared: NotRequired[bool]
    filters: NotRequired["ExceptionFilters"]
    sort_by: NotRequired["SlaSort"]


class UpdateWebhookRequestHeadersItem(TypedDict):
    name: str
    value: NotRequired[str]


class UpdateWebhookRequest(TypedDict):
    url: NotRequired[str]
    description: NotRequired["FreeText"]
    events: NotRequired[list["EventKind"]]
    filters: NotRequired["WebhookFilters"]
    headers: NotRequired[list["UpdateWebhookRequestHeadersItem"]]
    max_per_minute: NotRequired[Union[int, None]]
    oauth: NotRequired["OAuthClientInput"]
    status: NotRequired["WebhookStatus"]
    reason: NotRequired[Union[str, None]]


class UserSession(TypedDict):
    id: str
    provider: str
    address: Union[str, None]
    user_agent: Union[str, None]
    started_at: str
    seen_at: str
    expires_at: str
    ended_at: Union[str, None]
    current: bool


class UserSessionPage(TypedDict):
    items: list["UserSession"]
    next_cursor: "NextCursor"


ValueSign = Literal["plus", "minus"]

class View(TypedDict):
    id: str
    name: str
    shared: bool
    filters: "ExceptionFilters"
    sort_by: Union["SlaSort", str]
    open_count: Union[int, None]
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"


class ViewPage(TypedDict):
    items: list["View"]
    next_cursor: "NextCursor"


class WebhookOauth(TypedDict):
    token_url: str
    client_id: str
    scope: NotRequired[str]


class Webhook(TypedDict):
    id: str
    url: str
    description: "FreeText"
    events: list[Union["EventKind", str]]
    filters: "WebhookFilters"
    header_names: list[str]
    max_per_minute: Union[int, None]
    oauth: "WebhookOauth"
    status: Union["WebhookStatus", str]
    disabled_at: Union[str, None]
    disabled_by: Union[str, None]
    disabled_reason: Union[Union["WebhookDisabledReason", str], None]
    disabled_detail: Union[str, None]
    health: Union["WebhookHealth", str]
    last_24h: "DeliveriesOfDay"
    last_7d: "DeliveriesOfWeek"
    failing_since: Union[str, None]
    disable_at: Union[str, None]
    last_success_at: Union[str, None]
    last_failure_at: Union[str, None]
    last_failure_kind: Union[Union["WebhookAttemptFailure", str], None]
    next_attempt_at: Union[str, None]
    missed_since: Union[str, None]
    secret_changed_at: Union[str, None]
    previous_secret_expires_at: Union[str, None]
    created_at: "CreationTime"
    created_by: "Creator"
    updated_at: "ChangeTime"


class WebhookAttempt(TypedDict):
    number: int
    cause: Union["WebhookAttemptCause", str]
    status: Union["WebhookAttemptStatus", str]
    failure_kind: Union[Union["WebhookAttemptFailure", str], None]
    detail: Union[str, None]
    started_at: str
    duration_ms: Union[int, None]
    status_code: Union[int, None]


WebhookAttemptCause = Literal["event", "retry", "resend", "recover"]

WebhookAttemptFailure = Literal["signature_failed", "stale_secret", "timeout", "connection_failed", "blocked_address", "http_error"]

WebhookAttemptStatus = Literal["in_flight", "succeeded", "failed", "interrupted"]

class WebhookDelivery(TypedDict):
    id: str
    webhook_id: str
    event_id: str
    type: Union["EventKind", str]
    status: Union["WebhookDeliveryStatus", str]
    failure_kind: Union[Union["WebhookDeliveryFailure", str], None]
    reason: Union[str, None]
    attempt_count: int
    next_attempt_at: Union[str, None]
    created_at: "CreationTime"
    delivered_at: Union[str, None]
    last_attempt: Union["WebhookAttempt", None]


class WebhookDeliveryDetailPayload(TypedDict):
    type: Union["EventKind", str]
    timestamp: "EventTime"
    test: NotRequired[Literal[True]]
    data: dict[str, Any]


class WebhookDeliveryDetailAttemptsItemResponse(TypedDict):
    headers: dict[str, str]
    body: str
    truncated: bool


class WebhookDeliveryDetailAttemptsItem(TypedDict):
    number: int
    cause: Union["WebhookAttemptCause", str]
    status: Union["WebhookAttemptStatus", str]
    failure_kind: Union[Union["WebhookAttemptFailure", str], None]
    detail: Union[str, None]
    started_at: str
    duration_ms: Union[int, None]
    status_code: Union[int, None]
    response: "WebhookDeliveryDetailAttemptsItemResponse"


class WebhookDeliveryDetail(TypedDict):
    id: str
    webhook_id: str
    event_id: str
    type: Union["EventKind", str]
    status: Union["WebhookDeliveryStatus", str]
    failure_kind: Union[Union["WebhookDeliveryFailure", str], None]
    reason: Union[str, None]
    attempt_count: int
    next_attempt_at: Union[str, None]
    created_at: "CreationTime"
    delivered_at: Union[str, None]
    last_attempt: Union["WebhookAttempt", None]
    payload: "WebhookDeliveryDetailPayload"
    request_id: Union[str, None]
    attempts: list["WebhookDeliveryDetailAttemptsItem"]


WebhookDeliveryFailure = Literal["retries_exhausted", "webhook_disabled"]

class WebhookDeliveryPage(TypedDict):
    items: list["WebhookDelivery"]
    next_cursor: "NextCursor"
    as_of: "ResponseTime"


WebhookDeliveryStatus = Literal["pending", "sending", "retrying", "delivered", "failed"]

class WebhookDisabledEventData(TypedDict):
    id: str
    url: str
    reason: Union["WebhookDisabledReason", str]
    detail: Union[str, None]
    disabled_at: str
    disabled_by: str


class WebhookDisabledEvent(TypedDict):
    type: Literal["webhook.disabled"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "WebhookDisabledEventData"


WebhookDisabledReason = Literal["manual", "failing", "gone"]

class WebhookFailingEventData(TypedDict):
    id: str
    url: str
    failing_since: str
    disable_at: str
    detail: str


class WebhookFailingEvent(TypedDict):
    type: Literal["webhook.failing"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "WebhookFailingEventData"


class WebhookFilterPreviewByTypeItem(TypedDict):
    type: Union["EventKind", str]
    total_count: int
    matched_count: int


class WebhookFilterPreview(TypedDict):
    since: str
    as_of: "ResponseTime"
    total_count: int
    matched_count: int
    by_type: list["WebhookFilterPreviewByTypeItem"]
    complete: bool


class WebhookFiltersAmount(TypedDict):
    currency: Union["Currency", LaterValue]
    from_minor: int


class WebhookFilters(TypedDict):
    severity: NotRequired[list[Union["Severity", LaterValue]]]
    assigned_to: NotRequired[list[str]]
    amount: NotRequired["WebhookFiltersAmount"]
    reconciliation_ids: NotRequired[list[str]]
    source_ids: NotRequired[list[str]]


WebhookHealth = Literal["healthy", "degraded", "failing", "disabled", "idle"]

class WebhookPage(TypedDict):
    items: list["Webhook"]
    next_cursor: "NextCursor"
    as_of: "ResponseTime"


class WebhookRecovery(TypedDict):
    since: str
    dry_run: bool
    count: int


class WebhookStatsHoursItem(TypedDict):
    start: str
    succeeded: int
    failed: int
    p50_ms: Union[int, None]
    p95_ms: Union[int, None]


class WebhookStats(TypedDict):
    as_of: "ResponseTime"
    hours: list["WebhookStatsHoursItem"]


WebhookStatus = Literal["active", "disabled"]

class WebhookTestEventData(TypedDict):
    id: str
    message: str
    sent_by: str


class WebhookTestEvent(TypedDict):
    type: Literal["webhook.test"]
    timestamp: "EventTime"
    test: NotRequired["TestMark"]
    data: "WebhookTestEventData"


Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


TieoutEvent = Union[
    ApiKeyExpiringEvent,
    ApiKeyRevokedEvent,
    BooksDifferEvent,
    ConnectionFailingEvent,
    EntriesReadyEvent,
    ExceptionCommentedEvent,
    ExceptionCreatedEvent,
    ExceptionPausedEvent,
    ExceptionResolvedEvent,
    ExceptionResumedEvent,
    ExceptionSlaAtRiskEvent,
    ExceptionSlaBreachedEvent,
    ExceptionUpdatedEvent,
    ImportDoneEvent,
    MatchUndoneEvent,
    ReconciliationClosedEvent,
    ReconciliationPreparedEvent,
    ReconciliationReopenedEvent,
    ReconciliationReviewedEvent,
    RunDoneEvent,
    WebhookDisabledEvent,
    WebhookFailingEvent,
    WebhookTestEvent,
]

DECIMALS = {
    "BHD": 3,
    "BIF": 0,
    "CLF": 4,
    "CLP": 0,
    "DJF": 0,
    "GNF": 0,
    "IQD": 3,
    "ISK": 0,
    "JOD": 3,
    "JPY": 0,
    "KMF": 0,
    "KRW": 0,
    "KWD": 3,
    "LYD": 3,
    "OMR": 3,
    "PYG": 0,
    "RWF": 0,
    "TND": 3,
    "UGX": 0,
    "UYI": 0,
    "UYW": 4,
    "VND": 0,
    "VUV": 0,
    "XAF": 0,
    "XOF": 0,
    "XPF": 0,
}
