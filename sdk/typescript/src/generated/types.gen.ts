// Written by `npm run generate` from openapi.json.

/** Values of later versions of the API are passed through. */
export type Open<Known extends string> = Known | (string & {});

/** A value of a later version of the API. It can be sent back; a misspelt value can't be sent. */
export type LaterValue = string & { readonly ofLaterVersion: true };

/** In what is returned and sent: a known value, or one that the API returned. */
export type OrLater<Known extends string> = Known | LaterValue;

export type AddLinesRequest = {
    /**
     * @minItems 1
     * @maxItems 1000
     */
    lines: NewLine[];
    idempotency_key?: RequestIdempotencyKey;
};

export type AddedLines = {
    /**
     * How many were accepted.
     * @minimum 0
     * @format int64
     */
    accepted_count: number;
    /**
     * How many already existed.
     * @minimum 0
     * @format int64
     */
    duplicate_count: number;
    /**
     * The items.
     * @maxItems 1000
     */
    items: {
        /**
         * Position in the request, from 0.
         * @minimum 0
         * @format int64
         */
        index: number;
        /**
         * Its ID.
         * @pattern ^lin_[0-9a-z]{20,40}$
         */
        id: string;
        /**
         * Whether it already existed.
         */
        duplicate: boolean;
    }[];
};

export type AdjustmentKind = "fee" | "fx" | "rounding" | "write_off" | "other";

export type AlertChannel = {
    /**
     * Its ID.
     * @pattern ^ach_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its name.
     * @minLength 1
     * @maxLength 120
     */
    name: string;
    /**
     * The URL's host and its last four characters.
     * @maxLength 300
     */
    url_hint: string;
    /**
     * The alerts that are sent to it.
     * @minItems 1
     * @maxItems 5
     */
    kinds: Open<AlertChannelKind>[];
    /**
     * When the latest message was sent.
     * @maxLength 24
     * @format date-time
     */
    last_sent_at: string | null;
    /**
     * Null after a message was delivered.
     * @maxLength 24
     * @format date-time
     */
    last_failure_at: string | null;
    /**
     * Why the latest message failed.
     * @maxLength 500
     */
    last_failure: string | null;
    created_at: CreationTime;
    created_by: Creator;
};

export type AlertChannelKind = "exception_breached" | "exception_at_risk" | "webhook_failing" | "api_key_expiring" | "connection_failing";

export type AlertChannelPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: AlertChannel[];
    next_cursor: NextCursor;
};

export type AlertScope = "mine" | "all" | "off";

/**
 * The amounts, by currency.
 * @maxItems 200
 */
export type AmountsByCurrency = {
    currency: CurrencyOfAmount;
    amount_minor: MinorAmount;
}[];

/**
 * The items.
 * @maxItems 1000
 */
export type AmountsBySide = {
    currency: CurrencyOfAmount;
    /**
     * The side of the reconciliation.
     */
    side: Open<LineSide>;
    /**
     * The period's lines: all up to its end that no earlier period settled.
     */
    lines: number | string;
    matched: MinorAmount;
    excluded: MinorAmount;
    /**
     * In minor units. Beyond 2^53 − 1, the digits as a string.
     */
    open: number | string;
    /**
     * The part of left − right that adjustments explain, shown on the larger side: left less right is the signed sum.
     */
    adjustments: number | string;
    /**
     * The differences that matches keep within their tolerance, shown in the same way.
     */
    residual: number | string;
    /**
     * lines = matched + excluded + open, and the sides agree.
     */
    holds: boolean;
}[];

export type ApiKey = {
    /**
     * Its ID.
     * @pattern ^key_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its name.
     * @maxLength 200
     */
    name: string;
    /**
     * The public part of the credential.
     * @maxLength 44
     */
    key_id: string;
    /**
     * Write access doesn't include read access.
     * @maxItems 64
     */
    scopes: string[];
    /**
     * When it stops working. Null: never.
     * @maxLength 24
     * @format date-time
     */
    expires_at: string | null;
    /**
     * The addresses and ranges it can be used from. Empty: any.
     * @maxItems 50
     */
    ip_allowlist: string[];
    created_at: CreationTime;
    created_by: Creator;
    description: FreeText;
    /**
     * Its status.
     */
    status: Open<ApiKeyStatus>;
    /**
     * The latest accepted call. Null: never used.
     * @maxLength 24
     * @format date-time
     */
    last_used_at: string | null;
    /**
     * Accepted calls, up to one second behind.
     * @minimum 0
     * @format int64
     */
    request_count: number;
    /**
     * Accepted calls on each of the last 7 days (UTC), oldest first.
     * @minItems 7
     * @maxItems 7
     */
    calls_by_day: number[];
    /**
     * The address of the latest call.
     * @maxLength 45
     */
    last_used_ip: string | null;
    /**
     * After a rotation: it works until this time.
     * @maxLength 24
     * @format date-time
     */
    grace_expires_at: string | null;
    /**
     * The key it replaced.
     * @maxLength 44
     * @pattern ^key_[0-9a-z]{20,40}$
     */
    rotated_from: string | null;
    /**
     * The key that replaces it.
     * @maxLength 44
     * @pattern ^key_[0-9a-z]{20,40}$
     */
    rotated_to: string | null;
    /**
     * When it was revoked.
     * @maxLength 24
     * @format date-time
     */
    revoked_at: string | null;
    /**
     * Who revoked it. `system` at the end of a grace period.
     * @maxLength 125
     */
    revoked_by: string | null;
    /**
     * The reason given.
     * @maxLength 500
     */
    revoke_reason: string | null;
    /**
     * 90 days after its creation.
     * @format date-time
     */
    rotation_recommended_at: string;
    /**
     * Granted but unused for 30 days. Empty for a newer key.
     * @maxItems 64
     */
    unused_scopes: string[];
};

export type ApiKeyExpiringEvent = {
    /**
     * Its type.
     */
    type: "api_key.expiring";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        /**
         * Its ID.
         * @pattern ^key_[0-9a-z]{20,40}$
         */
        id: string;
        /**
         * Its name.
         * @maxLength 200
         */
        name: string;
        /**
         * The public part of the credential.
         * @maxLength 44
         */
        key_id: string;
        /**
         * When it stops working. Null: never.
         * @format date-time
         */
        expires_at: string;
        /**
         * How many days before.
         * @format int64
         */
        days_before: number;
    };
};

export type ApiKeyImpact = {
    /**
     * The beginning of the period.
     * @format date-time
     */
    since: string;
    /**
     * Accepted calls in the last 7 days.
     * @minimum 0
     * @format int64
     */
    calls: number;
    /**
     * Those that the change would have refused.
     * @minimum 0
     * @format int64
     */
    refused: number;
    /**
     * By operation.
     * @maxItems 200
     */
    by_operation: {
        /**
         * Your own keyword for filtering lists.
         * @maxLength 200
         */
        operation: string;
        /**
         * How many were refused.
         * @minimum 0
         * @format int64
         */
        refused: number;
    }[];
    /**
     * By IP address.
     * @maxItems 10000
     */
    by_address: {
        /**
         * The IP address.
         * @maxLength 45
         */
        address: string;
        /**
         * How many were refused.
         * @minimum 0
         * @format int64
         */
        refused: number;
    }[];
    /**
     * Active webhooks registered by this key, or by a key it was rotated from or to. They stay active without it.
     * @maxItems 250
     */
    webhooks: {
        /**
         * Its ID.
         * @pattern ^whk_[0-9a-z]{20,40}$
         */
        id: string;
        /**
         * Where events are sent.
         * @maxLength 2048
         */
        url: string;
    }[];
};

export type ApiKeyPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: ApiKey[];
    next_cursor: NextCursor;
    as_of: ResponseTime;
};

export type ApiKeyRevokedEvent = {
    /**
     * Its type.
     */
    type: "api_key.revoked";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        /**
         * Its ID.
         * @pattern ^key_[0-9a-z]{20,40}$
         */
        id: string;
        /**
         * Its name.
         * @maxLength 200
         */
        name: string;
        /**
         * The public part of the credential.
         * @maxLength 44
         */
        key_id: string;
        /**
         * When it was revoked.
         * @format date-time
         */
        revoked_at: string;
        /**
         * Who revoked it. `system` at the end of a grace period.
         * @maxLength 125
         */
        revoked_by: string;
        /**
         * The reason given.
         * @maxLength 1000
         */
        reason: string | null;
    };
};

export type ApiKeyStatus = "active" | "rotating" | "expired" | "revoked";

export type ApiKeyUsage = {
    as_of: ResponseTime;
    /**
     * The last 7 days (UTC), as calls_by_day counts them. Hours without calls are omitted.
     * @maxItems 169
     */
    hours: {
        /**
         * The beginning of the interval.
         * @format date-time
         */
        start: string;
        /**
         * How many were accepted.
         * @minimum 0
         * @format int64
         */
        accepted: number;
        /**
         * How many were refused.
         * @minimum 0
         * @format int64
         */
        refused: number;
    }[];
    /**
     * The last 90 days (UTC). Days without calls are omitted.
     * @maxItems 90
     */
    days: {
        /**
         * The beginning of the interval.
         * @format date-time
         */
        start: string;
        /**
         * How many were accepted.
         * @minimum 0
         * @format int64
         */
        accepted: number;
        /**
         * How many were refused.
         * @minimum 0
         * @format int64
         */
        refused: number;
    }[];
    /**
     * The 100 most recent addresses in the last 7 days.
     * @maxItems 100
     */
    addresses: {
        /**
         * The IP address.
         * @maxLength 45
         */
        address: string;
        /**
         * Calls.
         * @minimum 0
         * @format int64
         */
        calls: number;
        /**
         * Those made after the key was rotated.
         * @minimum 0
         * @format int64
         */
        in_grace: number;
        /**
         * The latest call from there.
         * @format date-time
         */
        last_seen_at: string;
    }[];
    /**
     * Refused calls in the last 90 days by reason.
     */
    refusals: Record<string, number>;
};

export type AutomaticMatching = "suggest_only" | "earned" | "always";

export type BoardMoney = {
    currency: CurrencyOfAmount;
    /**
     * The side of the reconciliation.
     */
    side: Open<LineSide>;
    /**
     * The open amount of its lines. Beyond 2^53 − 1, the digits as a string.
     */
    open_minor: number | string;
};

export type BoardPair = {
    /**
     * The source on the left side. Null: the reconciliation has no lines.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    left_source_id: string;
    /**
     * The source on the right side.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    right_source_id: string;
    /**
     * The left source's name.
     * @maxLength 200
     */
    left_source: string;
    /**
     * The right source's name.
     * @maxLength 200
     */
    right_source: string;
    /**
     * Periods that end in the requested months, earliest first.
     * @maxItems 1000
     */
    periods: BoardPeriod[];
};

export type BoardPairPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: BoardPair[];
    next_cursor: NextCursor;
};

export type BoardPeriod = {
    reconciliation_id: OriginReconciliationId;
    /**
     * The period's name.
     * @minLength 1
     * @maxLength 200
     */
    name: string;
    /**
     * The first day of the period.
     * @format date
     */
    period_start: string;
    /**
     * The last day of the period.
     * @format date
     */
    period_end: string;
    /**
     * Its state on the way to the close. preparing: existing lines of its sources are still being added.
     */
    state: Open<BoardPeriodState>;
    /**
     * Who signed it as prepared. Null if no signature is valid.
     * @maxLength 125
     */
    prepared_by: string | null;
    /**
     * Who signed it as reviewed, in order.
     * @maxItems 3
     */
    reviewed_by: string[];
    /**
     * Who closed it.
     * @maxLength 125
     */
    closed_by: string | null;
    /**
     * When it is due to be closed: close_days (in the pair's rules) after its end. Null if the calendar has too few open days within two years.
     * @maxLength 10
     * @format date
     */
    due_day: string | null;
    /**
     * Whether it is open after the due day, in both sources' time zones.
     */
    overdue: boolean;
    /**
     * Lines up to its end that are open, or were open when it closed.
     * @minimum 0
     * @format int64
     */
    open_lines: number;
    /**
     * By currency and side.
     * @maxItems 200
     */
    open_money: BoardMoney[];
    /**
     * Days from its oldest open line to its end. Null if nothing is open.
     * @minimum 0
     * @format int64
     */
    oldest_days: number | null;
};

export type BoardPeriodState = "open" | "prepared" | "reviewed" | "closed" | "preparing" | "archived";

export type BooksDifferEvent = {
    /**
     * Its type.
     */
    type: "books.differ";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        /**
         * The periods of the pair, newest first.
         * @maxItems 100
         */
        reconciliation_ids: string[];
        /**
         * The number of figures that differ.
         * @minimum 1
         * @format int64
         */
        difference_count: number;
        /**
         * The first 20.
         * @maxItems 20
         */
        differences: {
            /**
             * The figure that differs.
             * @maxLength 100
             */
            what: string;
            /**
             * The line, match or period.
             * @maxLength 200
             */
            subject: string;
            /**
             * The recounted value.
             * @maxLength 200
             */
            computed: string | null;
            /**
             * The value that is shown.
             * @maxLength 200
             */
            shown: string | null;
        }[];
    };
};

export type BreachRisk = "breached" | "high" | "medium" | "low";

export type BreachRiskFilter = "breached" | "high" | "medium" | "low" | "at_risk";

export type BulkUpdate = {
    /**
     * The number of items changed.
     * @minimum 0
     * @format int64
     */
    updated: number;
    /**
     * The items.
     * @maxItems 1000
     */
    items: SlaException[];
    /**
     * With a filter: the items before the change.
     * @maxItems 500
     */
    previous: SlaException[];
    /**
     * With a filter: the items that can't be changed, and why.
     * @maxItems 500
     */
    skipped: SkippedException[];
    /**
     * With a filter: the cursor for the next call. Null: all are done.
     * @maxLength 2000
     */
    next_cursor: string | null;
};

export type Calendar = {
    /**
     * Its ID.
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name: string;
    /**
     * The IANA time zone.
     * @maxLength 64
     */
    time_zone: string;
    weekly: OpeningHours;
    /**
     * @maxItems 1000
     */
    special_days: SpecialDay[];
    /**
     * Increases when its hours change. Deadlines keep the version they were set with.
     * @minimum 1
     * @format int64
     */
    calendar_version: number;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
    /**
     * Who last changed it.
     * @maxLength 125
     */
    updated_by: string;
};

/**
 * Severities with a calendar other than calendar_id, or null for none. If omitted, it stays unchanged.
 */
export type CalendarBySeverity = {
    /**
     * For critical exceptions.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    critical?: string | null;
    /**
     * For high exceptions.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    high?: string | null;
    /**
     * For medium exceptions.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    medium?: string | null;
    /**
     * For low exceptions.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    low?: string | null;
};

export type CalendarChange = {
    /**
     * Its ID.
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name: string;
    /**
     * The IANA time zone.
     * @maxLength 64
     */
    time_zone: string;
    weekly: OpeningHours;
    /**
     * @maxItems 1000
     */
    special_days: SpecialDay[];
    /**
     * Increases when its hours change. Deadlines keep the version they were set with.
     * @minimum 1
     * @format int64
     */
    calendar_version: number;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
    /**
     * Who last changed it.
     * @maxLength 125
     */
    updated_by: string;
    /**
     * If true, nothing was changed.
     */
    dry_run: boolean;
    impact: CalendarImpact;
};

export type CalendarIcs = {
    /**
     * An iCalendar file (RFC 5545).
     * @maxLength 1000000
     */
    ics: string;
};

/**
 * The calendar whose open days are business days: for rules with day_kind business, and for the sources' grace_days. A changed calendar makes open periods run again. Null: Monday to Friday.
 * @maxLength 44
 * @pattern ^cal_[0-9a-z]{20,40}$
 */
export type CalendarId = string | null;

export type CalendarImpact = {
    /**
     * Open exceptions whose deadline moves.
     * @minimum 0
     * @format int64
     */
    changed: number;
    /**
     * Deadlines that would move earlier.
     * @minimum 0
     * @format int64
     */
    earlier: number;
    /**
     * Deadlines that would move later.
     * @minimum 0
     * @format int64
     */
    later: number;
    /**
     * Exceptions that would be breached.
     * @minimum 0
     * @format int64
     */
    newly_breached: number;
    /**
     * Exceptions that would no longer be breached.
     * @minimum 0
     * @format int64
     */
    no_longer_breached: number;
    by_severity: CountBySeverity;
    /**
     * Open reconciliations whose matching counts business days by this calendar.
     * @minimum 0
     * @format int64
     */
    periods: number;
};

export type CalendarPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Calendar[];
    next_cursor: NextCursor;
};

export type CalendarVersion = {
    /**
     * Increases when its hours change. Deadlines keep the version they were set with.
     * @minimum 1
     * @format int64
     */
    calendar_version: number;
    /**
     * The IANA time zone.
     * @maxLength 64
     */
    time_zone: string;
    weekly: OpeningHours;
    /**
     * How many special days it has.
     * @minimum 0
     * @format int64
     */
    special_day_count: number;
    /**
     * Open exceptions whose deadline counts by this version.
     * @minimum 0
     * @format int64
     */
    open_exceptions: number;
    created_at: CreationTime;
    created_by: Creator;
};

export type CalendarVersionPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: CalendarVersion[];
    next_cursor: NextCursor;
};

export type CallCredential = "session" | "token" | "api_key" | "publishable_key" | "service_role";

export type CallResult = "failed" | "refused" | "2xx" | "3xx" | "4xx" | "5xx";

export type ChainFault = {
    /**
     * The reason given.
     */
    reason: Open<"content_changed" | "row_missing" | "order_changed" | "tail_rewritten" | "tail_cut" | "checkpoint_invalid" | "not_chained">;
    /**
     * The number of the first event that fails verification.
     * @format int64
     */
    seq: number;
    /**
     * The event.
     * @maxLength 44
     */
    event_id: string | null;
    /**
     * The explanation.
     * @maxLength 2000
     */
    message: string;
};

export type ChainVerification = {
    /**
     * Its status.
     */
    status: Open<"intact" | "broken">;
    as_of: ResponseTime;
    /**
     * Number of verified events.
     * @format int64
     */
    events: number;
    /**
     * Events up to here were purged after their retention period; a signature covers them.
     * @format int64
     */
    forgotten_through_seq: number | null;
    /**
     * The last event of the unbroken chain.
     */
    verified_through: {
        /**
         * The event's number in the chain.
         * @format int64
         */
        seq: number;
        /**
         * Its ID.
         * @pattern ^sev_[0-9a-z]{20,40}$
         */
        id: string;
        /**
         * SHA-256, hexadecimal.
         * @maxLength 64
         */
        hash: string;
    } | null;
    /**
     * The latest signed state. Save it to prove later that nothing before it was rewritten.
     */
    checkpoint: {
        /**
         * Its kind.
         */
        kind: Open<"head" | "prefix">;
        /**
         * The event's number in the chain.
         * @format int64
         */
        seq: number;
        /**
         * SHA-256, hexadecimal.
         * @maxLength 64
         */
        hash: string;
        /**
         * When it happened.
         * @format date-time
         */
        at: string;
        /**
         * The ID of the key.
         * @maxLength 44
         */
        key_id: string;
        /**
         * Ed25519, base64url.
         * @maxLength 86
         */
        signature: string;
    } | null;
    /**
     * Events since the last signed state.
     * @format int64
     */
    unsigned_events: number;
    fault: ChainFault | null;
};

/**
 * When it was last changed.
 * @format date-time
 */
export type ChangeTime = string;

/**
 * Which checks of the checklist block signing and closing, warn or are ignored.
 */
export type CheckPolicy = {
    period_over: Open<CheckWeight>;
    files: Open<CheckWeight>;
    /**
     * Balances by side and currency.
     */
    balances: Open<CheckWeight>;
    suggestions: Open<CheckWeight>;
    /**
     * Exceptions that would be created.
     */
    exceptions: Open<CheckWeight>;
    difference: Open<CheckWeight>;
    evidence: Open<CheckWeight>;
};

/**
 * Which checks of the checklist block signing and closing, warn or are ignored.
 */
export type CheckPolicyInput = {
    period_over?: CheckWeight;
    files?: CheckWeight;
    /**
     * Balances by side and currency.
     */
    balances?: CheckWeight;
    suggestions?: CheckWeight;
    /**
     * Exceptions that would be created.
     */
    exceptions?: CheckWeight;
    difference?: CheckWeight;
    evidence?: CheckWeight;
};

export type CheckWeight = "block" | "warn" | "ignore";

export type ConflictOrInvalidTransitionProblem = Problem & {
    /**
     * Its status.
     */
    status?: 409;
    /**
     * The code for your program.
     */
    code?: Open<"conflict" | "invalid_transition">;
};

export type ConflictProblem = Problem & {
    /**
     * Its status.
     */
    status?: 409;
    /**
     * The code for your program.
     */
    code?: "conflict";
};

export type ConflictReason = "run_under_way" | "preparing" | "lines_changing" | "closing" | "delivery_under_way" | "import_queue_full" | "sandbox_busy" | "quota" | "count_changed" | "state_changed" | "paused" | "not_paused" | "cannot_pause" | "no_sources" | "periods_overlap" | "has_decisions" | "counts_computed" | "close_required" | "period_closed" | "not_closed" | "archived" | "earlier_period_open" | "later_period_closed" | "second_person_required" | "checklist_incomplete" | "signatures_missing" | "already_prepared" | "not_prepared" | "already_reviewed" | "evidence_signed" | "already_superseded" | "already_exported" | "no_push" | "unsuitable_entry" | "stated_by_file" | "proof_broken" | "difference_unexplained" | "line_not_open" | "not_excluded" | "excluded_elsewhere" | "no_open_period" | "source_has_lines" | "already_undone" | "import_failed" | "not_fetched" | "source_connected" | "host_key_changed" | "webhook_disabled" | "revoked" | "expired" | "already_rotated" | "last_admin" | "already_member" | "same_name" | "too_many_exceptions" | "invitation_open" | "invitation_ended" | "sign_in_required" | "tenant_kind" | "managed_elsewhere";

export type Connection = {
    /**
     * Its ID.
     * @pattern ^con_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The source.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    source_id: string;
    /**
     * Its kind.
     */
    kind: Open<ConnectionKind>;
    /**
     * https: the file's URL. s3: an https URL with endpoint, bucket and prefix. sftp: host and folder. Only public addresses. mail: assigned by the server.
     * @minLength 1
     * @maxLength 2048
     */
    address: string;
    /**
     * Only for mail: the accepted senders, as addresses or as @ and a domain.
     * @maxItems 50
     */
    allowed_senders: string[];
    /**
     * How to sign in. signed_query: the credential is the query of a signed https URL. access_key: for s3, with its ID as user_name.
     */
    auth: Open<ConnectionAuth>;
    /**
     * The user's name, or the access key's ID.
     * @minLength 1
     * @maxLength 200
     */
    user_name: string | null;
    /**
     * Only for s3.
     * @maxLength 64
     * @pattern ^[a-z0-9-]+$
     */
    region: string | null;
    /**
     * A pattern for file names: * is any characters, ? is one.
     * @minLength 1
     * @maxLength 200
     */
    file_glob: string;
    /**
     * In the source's time zone. Null: only on request.
     */
    schedule: {
        /**
         * The calendar whose open days are business days. Null: Monday to Friday.
         * @maxLength 44
         * @pattern ^cal_[0-9a-z]{20,40}$
         */
        calendar_id: string | null;
        /**
         * When it first checks for files on a business day.
         * @minLength 5
         * @pattern ^(?:[01]\d|2[0-3]):[0-5]\d$
         */
        at: string;
        /**
         * When the day's file is late and an exception is opened.
         * @minLength 5
         * @pattern ^(?:[01]\d|2[0-3]):[0-5]\d$
         */
        retry_until: string;
    } | null;
    /**
     * What happens to a file on the server after its import.
     */
    afterwards: Open<FileAfterwards>;
    /**
     * The subfolder to move files to, with afterwards: move.
     * @minLength 1
     * @maxLength 100
     * @pattern ^(?!\.{1,2}$)[^/\\]+$
     */
    move_to: string | null;
    /**
     * How long a file's size and time must stay the same before it is fetched.
     * @minimum 0
     * @maximum 300
     */
    stable_seconds: number;
    /**
     * Whether a file waits for a second file with its name and .done.
     */
    waits_for_marker: boolean;
    /**
     * Who gets the exception when a file is missing.
     * @maxLength 125
     * @pattern ^user:[^\s]{1,120}$
     */
    assigned_to: string | null;
    /**
     * Only for sftp: the server's host key. Null: the first one that it presents is pinned.
     * @minLength 50
     * @maxLength 50
     * @pattern ^SHA256:[A-Za-z0-9+/]+$
     */
    host_key: string | null;
    /**
     * stopped: the server presented a different host key.
     */
    status: Open<"active" | "paused" | "stopped">;
    /**
     * Null: only on request.
     * @maxLength 24
     * @format date-time
     */
    next_look_at: string | null;
    /**
     * When it last checked for files.
     * @maxLength 24
     * @format date-time
     */
    last_look_at: string | null;
    /**
     * The result of the last check.
     */
    last_outcome: (Open<"fetched" | "nothing_new" | "failed">) | null;
    /**
     * Why the last check or a file failed.
     * @maxLength 1000
     */
    last_error: string | null;
    /**
     * Every attempt since this time has failed.
     * @maxLength 24
     * @format date-time
     */
    failing_since: string | null;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
};

export type ConnectionAuth = "none" | "bearer" | "signed_query" | "password" | "private_key" | "access_key";

export type ConnectionFailingEvent = {
    /**
     * Its type.
     */
    type: "connection.failing";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        connection: Connection;
    };
};

export type ConnectionFile = {
    /**
     * Its ID.
     * @pattern ^cfl_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The path.
     * @maxLength 255
     */
    path: string;
    /**
     * Null: the server doesn't state it.
     * @minimum 0
     * @format int64
     */
    bytes: number | null;
    /**
     * Null: the server doesn't state it.
     * @maxLength 24
     * @format date-time
     */
    modified_at: string | null;
    /**
     * The hash of its content.
     * @minLength 64
     * @maxLength 64
     */
    sha256: string | null;
    /**
     * Sent by mail: the From address.
     * @maxLength 320
     */
    sender: string | null;
    /**
     * Sent by mail: what verified the From address.
     */
    sender_checks: {
        /**
         * The domain of a valid signature.
         * @maxLength 255
         */
        dkim: string | null;
        /**
         * Whether the server may send mail for the domain.
         * @maxLength 20
         */
        spf: string;
        /**
         * The result of the domain's policy.
         * @maxLength 20
         */
        dmarc: string;
    } | null;
    /**
     * duplicate: the source already has the same content under another name.
     */
    outcome: Open<"fetching" | "importing" | "imported" | "duplicate" | "failed" | "undone">;
    /**
     * The import that added it. Null: it was sent as JSON.
     * @maxLength 44
     * @pattern ^imp_[0-9a-z]{20,40}$
     */
    import_id: string | null;
    /**
     * Lines that were new.
     * @minimum 0
     * @format int64
     */
    line_count: number | null;
    /**
     * Why it failed.
     * @maxLength 1000
     */
    error: string | null;
    created_at: CreationTime;
    /**
     * When it was last tried.
     * @format date-time
     */
    tried_at: string;
    /**
     * When it was moved or deleted.
     * @maxLength 24
     * @format date-time
     */
    taken_at: string | null;
};

export type ConnectionFilePage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: ConnectionFile[];
    next_cursor: NextCursor;
};

export type ConnectionKind = "https" | "s3" | "sftp" | "mail";

export type ConnectionPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Connection[];
    next_cursor: NextCursor;
};

/**
 * In the source's time zone. Null: only on request.
 */
export type ConnectionScheduleInput = {
    /**
     * The calendar whose open days are business days. Null: Monday to Friday.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    calendar_id: string | null;
    /**
     * When it first checks for files on a business day.
     * @minLength 5
     * @pattern ^(?:[01]\d|2[0-3]):[0-5]\d$
     */
    at: string;
    /**
     * When the day's file is late and an exception is opened.
     * @minLength 5
     * @pattern ^(?:[01]\d|2[0-3]):[0-5]\d$
     */
    retry_until: string;
} | null;

export type ConnectionTest = {
    /**
     * Why it can't be reached.
     * @maxLength 1000
     */
    error: string | null;
    /**
     * Only for sftp: the host key that the server presents.
     * @maxLength 100
     */
    host_key: string | null;
    /**
     * The first files that match the glob.
     * @maxItems 10
     */
    names: string[];
    /**
     * How many files match the glob.
     * @minimum 0
     * @format int64
     */
    total_count: number;
};

/**
 * By severity.
 */
export type CountBySeverity = {
    /**
     * For critical exceptions.
     * @minimum 0
     * @format int64
     */
    critical: number;
    /**
     * For high exceptions.
     * @minimum 0
     * @format int64
     */
    high: number;
    /**
     * For medium exceptions.
     * @minimum 0
     * @format int64
     */
    medium: number;
    /**
     * For low exceptions.
     * @minimum 0
     * @format int64
     */
    low: number;
};

export type CreateAlertChannelRequest = {
    /**
     * Its name.
     * @minLength 1
     * @maxLength 120
     */
    name: string;
    /**
     * A Slack-compatible incoming webhook. It is a secret: sealed, and never returned.
     * @maxLength 2048
     * @format password
     */
    url: string;
    /**
     * The alerts that are sent to it.
     * @minItems 1
     * @maxItems 5
     */
    kinds: AlertChannelKind[];
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateApiKeyRequest = {
    /**
     * The key's name.
     * @minLength 1
     * @maxLength 120
     */
    name: string;
    description?: FreeText;
    /**
     * Write access doesn't include read access.
     * @minItems 1
     * @maxItems 14
     */
    scopes: Scope[];
    /**
     * At most 10 years away. Null: never. Setting one is recommended.
     * @maxLength 64
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    expires_at?: string | null;
    /**
     * Ranges are normalized: host bits are cleared. Empty means any address.
     * @maxItems 50
     */
    ip_allowlist?: string[];
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateCalendarRequest = {
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name: string;
    /**
     * The time zone of its local times.
     * @minLength 1
     * @maxLength 64
     */
    time_zone: string;
    /**
     * When it is open each week, in local time. An interval past midnight belongs to the day it starts on.
     * @minItems 1
     * @maxItems 140
     */
    weekly: {
        /**
         * The day.
         */
        day: Weekday;
        /**
         * Local time.
         * @pattern ^([01]\d|2[0-3]):[0-5]\d$
         */
        from: string;
        /**
         * Local time. At or before `from`: on the next day.
         * @pattern ^(([01]\d|2[0-3]):[0-5]\d|24:00)$
         */
        to: string;
    }[];
    /**
     * Days with special hours, which replace the hours that start on that weekday.
     * @maxItems 1000
     */
    special_days?: SpecialDayInput[];
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateConnectionRequest = {
    /**
     * The source.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    source_id: string;
    /**
     * Its kind.
     */
    kind: ConnectionKind;
    /**
     * https: the file's URL. s3: an https URL with endpoint, bucket and prefix. sftp: host and folder. Only public addresses. mail: assigned by the server.
     * @minLength 1
     * @maxLength 2048
     */
    address?: string;
    /**
     * Only for mail: the accepted senders, as addresses or as @ and a domain.
     * @maxItems 50
     */
    allowed_senders?: string[];
    /**
     * How to sign in. signed_query: the credential is the query of a signed https URL. access_key: for s3, with its ID as user_name.
     */
    auth?: ConnectionAuth;
    /**
     * The user's name, or the access key's ID.
     * @minLength 1
     * @maxLength 200
     */
    user_name?: string | null;
    /**
     * Only for s3.
     * @maxLength 64
     * @pattern ^[a-z0-9-]+$
     */
    region?: string | null;
    /**
     * A pattern for file names: * is any characters, ? is one.
     * @minLength 1
     * @maxLength 200
     */
    file_glob?: string;
    schedule?: ConnectionScheduleInput;
    /**
     * What happens to a file on the server after its import.
     */
    afterwards?: FileAfterwards;
    /**
     * The subfolder to move files to, with afterwards: move.
     * @minLength 1
     * @maxLength 100
     * @pattern ^(?!\.{1,2}$)[^/\\]+$
     */
    move_to?: string | null;
    /**
     * How long a file's size and time must stay the same before it is fetched.
     * @minimum 0
     * @maximum 300
     */
    stable_seconds?: number;
    /**
     * Whether a file waits for a second file with its name and .done.
     */
    waits_for_marker?: boolean;
    /**
     * Who gets the exception when a file is missing.
     * @maxLength 125
     * @pattern ^user:[^\s]{1,120}$
     */
    assigned_to?: string | null;
    /**
     * Only for sftp: the server's host key. Null: the first one that it presents is pinned.
     * @minLength 50
     * @maxLength 50
     * @pattern ^SHA256:[A-Za-z0-9+/]+$
     */
    host_key?: string | null;
    /**
     * The token, query, password, private key (OpenSSH or PEM, without a passphrase) or secret access key. Stored encrypted and never returned. If omitted in a change, the stored value stays.
     * @minLength 1
     * @maxLength 10000
     * @format password
     */
    credential?: string;
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateExceptionCommentRequest = {
    /**
     * Plain text, never rendered as HTML or Markdown.
     * @minLength 1
     * @maxLength 4000
     */
    body: string;
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateExceptionRequest = {
    /**
     * A one-line summary.
     * @minLength 1
     * @maxLength 200
     */
    title: string;
    /**
     * Without due_at, the SLA policy for this severity sets the deadline.
     */
    severity: Severity;
    /**
     * The assignee, as `user:<name>`. Null: unassigned.
     * @maxLength 125
     * @pattern ^user:[^\s]{1,120}$
     */
    assigned_to?: string | null;
    /**
     * The deadline.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    due_at?: string;
    /**
     * Your own code for the cause.
     * @minLength 1
     * @maxLength 64
     */
    reason_code?: string | null;
    /**
     * Money at risk, in the currency's minor unit. Requires currency.
     * @minimum 0
     * @format int64
     */
    amount_minor?: number | null;
    /**
     * The ISO 4217 code for amount_minor.
     */
    currency?: Currency | null;
    /**
     * The reconciliation it came from.
     * @maxLength 44
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id?: string | null;
    /**
     * Its status.
     */
    status?: OpenExceptionStatus;
    /**
     * Any JSON object, up to 16 kB.
     */
    details?: Record<string, unknown>;
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateIntegrationRequest = {
    /**
     * The tenant. Must match X-Tenant-Id.
     * @maxLength 63
     */
    tenantId?: string;
    /**
     * Your own keyword for filtering lists.
     * @maxLength 200
     */
    operation?: string;
    /**
     * Your own number, 1 to 250.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name?: string | null;
    /**
     * The connected system.
     * @minLength 1
     * @maxLength 120
     */
    provider?: string | null;
    /**
     * Its status.
     * @minLength 1
     * @maxLength 64
     */
    status?: string | null;
    /**
     * Any JSON object. Values that look like credentials are rejected.
     */
    config?: Record<string, unknown> | null;
    id?: unknown;
    created_at?: unknown;
    created_by?: unknown;
    updated_at?: unknown;
    soft_delete?: unknown;
    deleted_at?: unknown;
    purge_at?: unknown;
    tenant_id?: unknown;
    idempotencyKey?: RequestIdempotencyKey;
    [name: string]: unknown;
};

export type CreateInvitationRequest = {
    /**
     * Kept in lowercase.
     * @maxLength 254
     */
    email: string;
    /**
     * The roles they get when they accept.
     * @minItems 1
     * @maxItems 4
     */
    roles: Role[];
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateMatchRequest = {
    /**
     * The lines.
     * @minItems 2
     * @maxItems 500
     */
    line_ids: string[];
    /**
     * Differences that the match accepts, by kind.
     * @maxItems 20
     */
    adjustments?: {
        /**
         * Its kind.
         */
        kind: AdjustmentKind;
        /**
         * The part of left − right that it explains.
         * @format int64
         */
        amount_minor: number;
        /**
         * A note.
         * @minLength 1
         * @maxLength 500
         */
        note?: string | null;
    }[];
    /**
     * A note.
     * @minLength 1
     * @maxLength 1000
     */
    note?: string | null;
    /**
     * One of line_ids. The difference stays open on this line, as after a part payment, and needs no other explanation.
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    split_line_id?: string;
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateReconciliationRequest = {
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name: string;
    /**
     * Its status.
     */
    status?: "open" | "in_progress";
    /**
     * First day of the period.
     */
    period_start: string | string;
    /**
     * Last day of the period.
     */
    period_end: string | string;
    /**
     * By default the source's name. Required without left_source_id.
     * @minLength 1
     * @maxLength 200
     */
    left_source?: string;
    /**
     * The other side.
     * @minLength 1
     * @maxLength 200
     */
    right_source?: string;
    /**
     * Items with a counterpart.
     * @minimum 0
     * @format int64
     */
    matched_count?: number;
    /**
     * Items without a counterpart.
     * @minimum 0
     * @format int64
     */
    unmatched_count?: number;
    /**
     * The source on the left side. Null: the reconciliation has no lines.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    left_source_id?: string;
    /**
     * The source on the right side.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    right_source_id?: string;
    /**
     * Whether new lines start a run.
     */
    auto_run?: boolean;
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateReleaseNoteRequest = {
    /**
     * The tenant. Must match X-Tenant-Id.
     * @maxLength 63
     */
    tenantId?: string;
    /**
     * Your own keyword for filtering lists.
     * @maxLength 200
     */
    operation?: string;
    /**
     * Your own number, 1 to 250.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * A one-line summary.
     * @minLength 1
     * @maxLength 200
     */
    title?: string | null;
    /**
     * The version it describes.
     * @minLength 1
     * @maxLength 64
     */
    version?: string | null;
    /**
     * Markdown.
     * @maxLength 50000
     */
    body?: string | null;
    /**
     * Whether anyone can read it with the publishable key.
     */
    published?: boolean | null;
    /**
     * The publication time shown to readers.
     * @maxLength 64
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    published_at?: string | null;
    id?: unknown;
    created_at?: unknown;
    created_by?: unknown;
    updated_at?: unknown;
    soft_delete?: unknown;
    deleted_at?: unknown;
    purge_at?: unknown;
    tenant_id?: unknown;
    idempotencyKey?: RequestIdempotencyKey;
    [name: string]: unknown;
};

export type CreateRunRequest = {
    /**
     * If true, nothing was changed.
     */
    dry_run?: boolean;
    /**
     * @minItems 1
     * @maxItems 20
     */
    rules?: MatchingRule[];
    /**
     * deduct: a line matches with its amount less its fee, and the match has the fee as an adjustment. ignore: it matches with its full amount, as gross orders do.
     */
    fees?: FeeHandling;
    calendar_id?: CalendarId;
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateSourceRequest = {
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name: string;
    /**
     * Its kind.
     */
    kind: SourceKind;
    /**
     * The currency of lines that name none.
     * @pattern ^[A-Z]{3}$
     */
    currency: string;
    /**
     * The time zone that turns a file's times into days.
     * @minLength 1
     * @maxLength 64
     */
    time_zone?: string;
    /**
     * inverted: the source books with the opposite sign, so a reconciliation negates its amounts.
     */
    sign?: SourceSign;
    /**
     * How CSV, NDJSON and JSON files are read. Null: detected in each file.
     */
    mapping?: ImportMapping | null;
    /**
     * Business days a line may stay open before it becomes an exception.
     * @minimum 0
     * @maximum 90
     */
    grace_days?: number;
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateTestEventRequest = {
    /**
     * Its type.
     */
    type: "exception.sla.at_risk" | "exception.sla.breached" | "exception.created" | "exception.updated" | "exception.resolved" | "exception.paused" | "exception.resumed" | "exception.commented" | "run.done" | "match.undone" | "reconciliation.prepared" | "reconciliation.reviewed" | "reconciliation.closed" | "reconciliation.reopened" | "entries.ready" | "books.differ" | "import.done" | "connection.failing" | "api_key.expiring" | "api_key.revoked" | "webhook.failing" | "webhook.disabled";
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateTroubleshootingGuideRequest = {
    /**
     * The tenant. Must match X-Tenant-Id.
     * @maxLength 63
     */
    tenantId?: string;
    /**
     * Your own keyword for filtering lists.
     * @maxLength 200
     */
    operation?: string;
    /**
     * Your own number, 1 to 250.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * A one-line summary.
     * @minLength 1
     * @maxLength 200
     */
    title?: string | null;
    /**
     * What the reader sees.
     * @maxLength 20000
     */
    symptom?: string | null;
    /**
     * How it was resolved. Required for resolved and dismissed.
     * @maxLength 20000
     */
    resolution?: string | null;
    /**
     * Whether anyone can read it with the publishable key.
     */
    published?: boolean | null;
    id?: unknown;
    created_at?: unknown;
    created_by?: unknown;
    updated_at?: unknown;
    soft_delete?: unknown;
    deleted_at?: unknown;
    purge_at?: unknown;
    tenant_id?: unknown;
    idempotencyKey?: RequestIdempotencyKey;
    [name: string]: unknown;
};

export type CreateViewRequest = {
    /**
     * The view's name.
     * @minLength 1
     * @maxLength 80
     */
    name: string;
    /**
     * Whether everyone in the tenant sees it. Otherwise only you.
     */
    shared?: boolean;
    /**
     * The filters of GET /v1/exceptions/sla, each with its values. `me` is the person viewing it.
     */
    filters?: ExceptionFilters;
    /**
     * The order, as sortBy.
     */
    sort_by?: SlaSort;
    idempotency_key?: RequestIdempotencyKey;
};

export type CreateWebhookRequest = {
    /**
     * An https URL on port 443 or 1024 to 65535, at a public address.
     * @maxLength 2048
     * @format uri
     */
    url: string;
    description?: FreeText;
    /**
     * The event types it subscribes to.
     * @minItems 1
     * @maxItems 23
     */
    events: EventKind[];
    /**
     * Only events that pass all of these filters. A filter ignores events without the field it checks. Empty: all events.
     */
    filters?: WebhookFilters;
    /**
     * Sent with each delivery, for example to a gateway; a change replaces them all. Values are stored encrypted and never returned. Not those of the connection or the signature.
     * @maxItems 10
     */
    headers?: {
        /**
         * Its name.
         * @minLength 1
         * @maxLength 64
         */
        name: string;
        /**
         * If omitted in a change, the stored value stays.
         * @minLength 1
         * @maxLength 1000
         * @format password
         */
        value?: string;
    }[];
    /**
     * The maximum number of attempts a minute; others wait. Null: no limit.
     * @minimum 1
     * @maximum 6000
     */
    max_per_minute?: number | null;
    oauth?: OAuthClientInput;
    /**
     * The signing secret: 8 to 256 characters; after `whsec_`, base64. Under 24 bytes the response has a warning. Leave it out to have one created and returned in this response only.
     * @minLength 8
     * @maxLength 256
     * @format password
     */
    secret?: string;
    idempotency_key?: RequestIdempotencyKey;
};

/**
 * When it was created.
 * @format date-time
 */
export type CreationTime = string;

/**
 * Who created it: `user:<name>`, `api_key:<id>`, `service_role` or `system`.
 * @maxLength 125
 */
export type Creator = string;

export type Currency = "AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL";

/**
 * The ISO 4217 code for amount_minor.
 * @maxLength 3
 */
export type CurrencyOfAmount = string;

export type DecideMatchesRequest = {
    /**
     * The action.
     */
    action: "confirm" | "reject" | "undo";
    /**
     * The items to change.
     * @minItems 1
     * @maxItems 500
     */
    ids?: string[];
    /**
     * The suggestions to decide, instead of ids.
     */
    filter?: {
        reconciliation_id: OriginReconciliationId;
        /**
         * The rule's name, or manual.
         * @minLength 1
         * @maxLength 200
         */
        method?: string;
        /**
         * How many lines of each side it has.
         */
        shape?: MatchShape;
        /**
         * The run that created it. Null: a manual match.
         * @pattern ^run_[0-9a-z]{20,40}$
         */
        run_id?: string;
        /**
         * Only suggestions with this score or more.
         * @minimum 0
         * @maximum 1
         */
        score_from?: number;
        /**
         * Only suggestions with a lower score.
         * @minimum 0
         * @maximum 1
         */
        score_below?: number;
    };
    /**
     * With a filter: how many matches you expect. A different number returns 409.
     * @minimum 0
     * @maximum 5000
     */
    expected_count?: number;
    idempotency_key?: RequestIdempotencyKey;
};

export type Decision = {
    /**
     * Its ID.
     * @pattern ^dec_[0-9a-z]{20,40}$
     */
    id: string;
    reconciliation_id: OriginReconciliationId;
    /**
     * match: a manual match.
     */
    action: Open<"confirm" | "reject" | "match" | "exclude">;
    /**
     * More than one for a bulk decision.
     * @minimum 0
     * @format int64
     */
    match_count: number;
    /**
     * The first 500.
     * @maxItems 1000
     */
    match_ids: string[];
    /**
     * For an exclusion: the line.
     * @maxLength 44
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    line_id: string | null;
    created_at: CreationTime;
    created_by: Creator;
    /**
     * When it was undone. Null: it wasn't.
     * @maxLength 24
     * @format date-time
     */
    undone_at: string | null;
    /**
     * Who undid it.
     * @maxLength 125
     */
    undone_by: string | null;
};

export type DecisionPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Decision[];
    next_cursor: NextCursor;
};

export type DeletedConnection = {
    /**
     * Its ID.
     * @pattern ^con_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Always true.
     */
    deleted: true;
};

export type DeletedFilter = "true" | "false" | "only";

export type DeletedView = {
    /**
     * Its ID.
     * @pattern ^viw_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Always true.
     */
    deleted: true;
};

export type DeletedWebhook = {
    /**
     * Its ID.
     * @pattern ^whk_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Always true.
     */
    deleted: true;
};

/**
 * The last 24 hours.
 */
export type DeliveriesOfDay = {
    /**
     * The attempts.
     * @minimum 0
     * @format int64
     */
    attempts: number;
    /**
     * Failed attempts.
     * @minimum 0
     * @format int64
     */
    failures: number;
    /**
     * Share of attempts. Null if there were none.
     * @minimum 0
     * @maximum 1
     */
    success_rate: number | null;
    /**
     * Median response time, within 5 %.
     * @minimum 0
     * @format int64
     */
    p50_ms: number | null;
    /**
     * 95th percentile of response times, within 5 %.
     * @minimum 0
     * @format int64
     */
    p95_ms: number | null;
};

/**
 * The last 7 days.
 */
export type DeliveriesOfWeek = {
    /**
     * The attempts.
     * @minimum 0
     * @format int64
     */
    attempts: number;
    /**
     * Failed attempts.
     * @minimum 0
     * @format int64
     */
    failures: number;
    /**
     * Share of attempts. Null if there were none.
     * @minimum 0
     * @maximum 1
     */
    success_rate: number | null;
    /**
     * Median response time, within 5 %.
     * @minimum 0
     * @format int64
     */
    p50_ms: number | null;
    /**
     * 95th percentile of response times, within 5 %.
     * @minimum 0
     * @format int64
     */
    p95_ms: number | null;
};

export type EndSessionsRequest = {
    /**
     * Only these sessions.
     * @minItems 1
     * @maxItems 100
     */
    ids?: string[];
    idempotency_key?: RequestIdempotencyKey;
};

export type EndedSessions = {
    /**
     * The sessions that this call ended.
     * @maxItems 100
     */
    ended: string[];
};

export type EntriesReadyEvent = {
    /**
     * Its type.
     */
    type: "entries.ready";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        batch: EntryBatch;
    };
};

export type EntriesWithoutRule = {
    /**
     * The kind of item that it posts.
     */
    kind: Open<EntryKind>;
    currency: CurrencyOfAmount;
    /**
     * How many there are.
     * @minimum 0
     * @format int64
     */
    count: number;
    difference_minor: MinorAmount;
};

export type Entry = {
    /**
     * Its ID.
     * @pattern ^ent_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its position in the batch.
     * @minimum 1
     * @format int64
     */
    place: number;
    /**
     * The kind of item that it posts.
     */
    kind: Open<EntryKind>;
    /**
     * The match or line that it posts.
     * @pattern ^(?:mat|lin)_[0-9a-z]{20,40}$
     */
    subject_id: string;
    currency: CurrencyOfAmount;
    /**
     * The amount debited and credited.
     * @minimum 1
     * @format int64
     */
    amount_minor: number;
    /**
     * The part of left − right that it posts.
     * @format int64
     */
    difference_minor: number;
    /**
     * The account in the rule.
     * @maxLength 100
     */
    debit_account: string;
    /**
     * The account in the rule.
     * @maxLength 100
     */
    credit_account: string;
    /**
     * The ledger's own name for it.
     * @maxLength 50
     */
    tax_code: string | null;
    /**
     * The ledger's own name for it.
     * @maxLength 100
     */
    cost_center: string | null;
    /**
     * The rule's template, filled in.
     * @maxLength 500
     */
    text: string;
    /**
     * The date of the line or match.
     * @format date
     */
    value_date: string;
    /**
     * The payment reference.
     * @maxLength 500
     */
    reference: string | null;
    /**
     * The other party.
     * @maxLength 500
     */
    counterparty: string | null;
    /**
     * The batch and position of the entry that it reverses.
     * @maxLength 28
     * @pattern ^\d{4}-\d{4,}\/\d+$
     */
    reverses: string | null;
};

export type EntryBatch = {
    /**
     * Its ID.
     * @pattern ^bat_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The year of posting_date and a number, without gaps per tenant and year.
     * @maxLength 16
     * @pattern ^\d{4}-\d{4,}$
     */
    number: string;
    /**
     * Its state.
     */
    state: Open<EntryBatchState>;
    reconciliation_id: OriginReconciliationId;
    /**
     * The reconciliation's name.
     * @maxLength 200
     */
    reconciliation_name: string;
    /**
     * The signed statement of the same close.
     * @minimum 1
     * @format int64
     */
    statement_number: number;
    /**
     * The last day of the period.
     * @format date
     */
    posting_date: string;
    /**
     * Including reversals.
     * @minimum 1
     * @format int64
     */
    entry_count: number;
    /**
     * Entries that reverse an entry of an earlier batch.
     * @minimum 0
     * @format int64
     */
    reversal_count: number;
    /**
     * By currency.
     * @maxItems 200
     */
    sums: EntrySum[];
    /**
     * The hash of the entries; entries.sha256 in the signed statement.
     * @pattern ^[0-9a-f]{64}$
     */
    digest: string;
    /**
     * The digest of the signed statement.
     * @maxLength 64
     * @pattern ^[0-9a-f]{64}$
     */
    closing_digest: string | null;
    created_at: CreationTime;
    created_by: Creator;
    /**
     * When it was marked as exported.
     * @maxLength 24
     * @format date-time
     */
    exported_at: string | null;
    /**
     * Who marked it.
     * @maxLength 125
     */
    exported_by: string | null;
    /**
     * The ledger's reference for it.
     * @maxLength 200
     */
    ledger_reference: string | null;
    /**
     * Null: the rules have no push.
     */
    push: EntryPush | null;
};

export type EntryBatchPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: EntryBatch[];
    next_cursor: NextCursor;
};

export type EntryBatchState = "ready" | "exported";

export type EntryDraft = {
    /**
     * The kind of item that it posts.
     */
    kind: Open<EntryKind>;
    /**
     * The match or line that it posts.
     * @pattern ^(?:mat|lin)_[0-9a-z]{20,40}$
     */
    subject_id: string;
    currency: CurrencyOfAmount;
    /**
     * The amount debited and credited.
     * @minimum 1
     * @format int64
     */
    amount_minor: number;
    /**
     * The part of left − right that it posts.
     * @format int64
     */
    difference_minor: number;
    /**
     * The account in the rule.
     * @maxLength 100
     */
    debit_account: string;
    /**
     * The account in the rule.
     * @maxLength 100
     */
    credit_account: string;
    /**
     * The ledger's own name for it.
     * @maxLength 50
     */
    tax_code: string | null;
    /**
     * The ledger's own name for it.
     * @maxLength 100
     */
    cost_center: string | null;
    /**
     * The rule's template, filled in.
     * @maxLength 500
     */
    text: string;
    /**
     * The date of the line or match.
     * @format date
     */
    value_date: string;
    /**
     * The payment reference.
     * @maxLength 500
     */
    reference: string | null;
    /**
     * The other party.
     * @maxLength 500
     */
    counterparty: string | null;
};

export type EntryKind = "fee" | "fx" | "rounding" | "write_off" | "other" | "residual" | "excluded_left" | "excluded_right" | "carried_left" | "carried_right";

export type EntryPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Entry[];
    next_cursor: NextCursor;
};

export type EntryPreview = {
    /**
     * By currency.
     * @maxItems 200
     */
    sums: EntrySum[];
    /**
     * The first 100.
     * @maxItems 100
     */
    entries: EntryDraft[];
    /**
     * Items that no rule covers; nothing is posted for them.
     * @maxItems 2000
     */
    without_rule: EntriesWithoutRule[];
};

export type EntryPush = {
    /**
     * failed is retried, stopped is not.
     */
    state: Open<"waiting" | "done" | "failed" | "stopped">;
    /**
     * When it happened.
     * @format date-time
     */
    at: string;
    /**
     * Why the last attempt failed.
     * @maxLength 1000
     */
    error: string | null;
    /**
     * Their names.
     * @maxItems 1000
     */
    files: string[];
};

export type EntryPushFormat = "csv" | "datev" | "xero" | "quickbooks" | "quickbooks_iif" | "netsuite" | "sap";

export type EntryPushInput = {
    /**
     * An SFTP or S3 connection of any source.
     * @pattern ^con_[0-9a-z]{20,40}$
     */
    connection_id: string;
    /**
     * A folder below the connection's address. Null: the address itself.
     * @minLength 1
     * @maxLength 100
     * @pattern ^(?!\.{1,2}$)[^/\\]+$
     */
    folder?: string | null;
    /**
     * The format of the files.
     */
    format: EntryPushFormat;
};

export type EntryPushSettings = {
    /**
     * An SFTP or S3 connection of any source.
     * @pattern ^con_[0-9a-z]{20,40}$
     */
    connection_id: string;
    /**
     * A folder below the connection's address. Null: the address itself.
     * @minLength 1
     * @maxLength 100
     * @pattern ^(?!\.{1,2}$)[^/\\]+$
     */
    folder: string | null;
    /**
     * The format of the files.
     */
    format: Open<EntryPushFormat>;
};

export type EntryRule = {
    /**
     * Debited if the left side is smaller, credited if it is larger.
     * @minLength 1
     * @maxLength 100
     * @pattern ^\P{Cc}+$
     */
    account: string;
    /**
     * Credited if the left side is smaller, debited if it is larger.
     * @minLength 1
     * @maxLength 100
     * @pattern ^\P{Cc}+$
     */
    counter_account: string;
    /**
     * The ledger's own name for it.
     * @minLength 1
     * @maxLength 50
     * @pattern ^\P{Cc}+$
     */
    tax_code: string | null;
    /**
     * The ledger's own name for it.
     * @minLength 1
     * @maxLength 100
     * @pattern ^\P{Cc}+$
     */
    cost_center: string | null;
    /**
     * The text of each entry. Placeholders: {reference}, {counterparty}, {description}, {note}, {date}, {period}, {amount}, {currency}, {kind}, {reconciliation}.
     * @minLength 1
     * @maxLength 200
     * @pattern ^\P{Cc}+$
     */
    text: string;
};

export type EntryRuleInput = {
    /**
     * Debited if the left side is smaller, credited if it is larger.
     * @minLength 1
     * @maxLength 100
     * @pattern ^\P{Cc}+$
     */
    account: string;
    /**
     * Credited if the left side is smaller, debited if it is larger.
     * @minLength 1
     * @maxLength 100
     * @pattern ^\P{Cc}+$
     */
    counter_account: string;
    /**
     * The ledger's own name for it.
     * @minLength 1
     * @maxLength 50
     * @pattern ^\P{Cc}+$
     */
    tax_code?: string | null;
    /**
     * The ledger's own name for it.
     * @minLength 1
     * @maxLength 100
     * @pattern ^\P{Cc}+$
     */
    cost_center?: string | null;
    /**
     * The text of each entry. Placeholders: {reference}, {counterparty}, {description}, {note}, {date}, {period}, {amount}, {currency}, {kind}, {reconciliation}.
     * @minLength 1
     * @maxLength 200
     * @pattern ^\P{Cc}+$
     */
    text: string;
};

export type EntryRuleSet = {
    rules: EntryRules;
    ledger: LedgerSettings;
    /**
     * 0: no rules have been set.
     * @minimum 0
     * @format int64
     */
    version: number;
    /**
     * When it was last changed.
     * @maxLength 24
     * @format date-time
     */
    updated_at: string | null;
    /**
     * Who last changed it.
     * @maxLength 125
     */
    updated_by: string | null;
};

/**
 * One rule for each kind of adjustment, for residuals, and for excluded or carried lines of a side. Null: nothing is posted.
 */
export type EntryRules = {
    fee: EntryRule | null;
    fx: EntryRule | null;
    rounding: EntryRule | null;
    write_off: EntryRule | null;
    other: EntryRule | null;
    residual: EntryRule | null;
    excluded_left: EntryRule | null;
    excluded_right: EntryRule | null;
    carried_left: EntryRule | null;
    carried_right: EntryRule | null;
};

/**
 * One rule for each kind of adjustment, for residuals, and for excluded or carried lines of a side. Null: nothing is posted.
 */
export type EntryRulesInput = {
    fee?: EntryRuleInput | null;
    fx?: EntryRuleInput | null;
    rounding?: EntryRuleInput | null;
    write_off?: EntryRuleInput | null;
    other?: EntryRuleInput | null;
    residual?: EntryRuleInput | null;
    excluded_left?: EntryRuleInput | null;
    excluded_right?: EntryRuleInput | null;
    carried_left?: EntryRuleInput | null;
    carried_right?: EntryRuleInput | null;
};

export type EntrySum = {
    currency: CurrencyOfAmount;
    /**
     * Including reversals.
     * @minimum 0
     * @format int64
     */
    entry_count: number;
    debit_minor: MinorAmount;
    credit_minor: MinorAmount;
};

export type ErrorCode = "invalid_request" | "tenant_required" | "idempotency_key_required" | "unauthenticated" | "tenant_forbidden" | "role_required" | "scope_required" | "ip_not_allowed" | "browser_forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "precondition_failed" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "idempotency_mismatch" | "rate_limited" | "headers_too_large" | "internal" | "unavailable";

export type EstimateApiKeyImpactRequest = {
    /**
     * True to preview revoking the key.
     */
    revoke?: true;
    /**
     * Write access doesn't include read access.
     * @minItems 1
     * @maxItems 14
     */
    scopes?: Scope[];
    /**
     * When it stops working. Null: never.
     * @maxLength 64
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    expires_at?: string | null;
    /**
     * Ranges are normalized: host bits are cleared. Empty means any address.
     * @maxItems 50
     */
    ip_allowlist?: string[];
    idempotency_key?: RequestIdempotencyKey;
};

export type EventKind = "exception.sla.at_risk" | "exception.sla.breached" | "exception.created" | "exception.updated" | "exception.resolved" | "exception.paused" | "exception.resumed" | "exception.commented" | "run.done" | "match.undone" | "reconciliation.prepared" | "reconciliation.reviewed" | "reconciliation.closed" | "reconciliation.reopened" | "entries.ready" | "books.differ" | "import.done" | "connection.failing" | "api_key.expiring" | "api_key.revoked" | "webhook.failing" | "webhook.disabled" | "webhook.test";

/**
 * When it happened, the same on every attempt.
 * @format date-time
 */
export type EventTime = string;

export type Evidence = {
    /**
     * Its ID.
     * @pattern ^evd_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The kind of object that the file is attached to.
     */
    subject_type: Open<"exception" | "match" | "line" | "reconciliation">;
    /**
     * An exception, a match, a line or a reconciliation, which is a period.
     * @pattern ^(?:exc|mat|lin|rcn)_[0-9a-z]{20,40}$
     */
    subject_id: string;
    /**
     * The file's name.
     * @maxLength 255
     */
    file_name: string;
    /**
     * Detected from the content, whatever the upload or the name said.
     */
    media_type: Open<"application/pdf" | "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/tiff" | "image/heic" | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" | "text/csv" | "message/rfc822" | "text/plain">;
    /**
     * The size of the content.
     * @minimum 1
     * @maximum 10485760
     */
    bytes: number;
    /**
     * The hash of the content, also in the audit log and in signed statements.
     * @pattern ^[0-9a-f]{64}$
     */
    sha256: string;
    /**
     * The older file that it replaced.
     * @maxLength 44
     * @pattern ^evd_[0-9a-z]{20,40}$
     */
    supersedes: string | null;
    /**
     * The newer file that replaced it.
     * @maxLength 44
     * @pattern ^evd_[0-9a-z]{20,40}$
     */
    superseded_by: string | null;
    /**
     * Whether a signed statement lists it. If so, it can't be removed.
     */
    is_signed: boolean;
    created_at: CreationTime;
    created_by: Creator;
};

export type EvidencePage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Evidence[];
    next_cursor: NextCursor;
};

export type ExceptionChange = {
    /**
     * When it happened.
     * @format date-time
     */
    at: string;
    /**
     * Who did it: `user:<name>`, `api_key:<id>`, `service_role` or `system`.
     * @maxLength 125
     */
    actor: string;
    /**
     * The issuer of the person's token (`iss`). Null if the actor isn't a person, or for older entries.
     * @maxLength 255
     */
    actor_issuer: string | null;
    /**
     * The subject of the person's token (`sub`), unique at its issuer; `actor` is for display.
     * @maxLength 255
     */
    actor_subject: string | null;
    /**
     * The X-Request-Id of the request.
     * @maxLength 64
     */
    request_id: string | null;
    /**
     * Its kind.
     */
    kind: Open<"created" | "updated">;
    /**
     * Each field that changed, with its value before and after.
     */
    changes: Record<string, {
        /**
         * The value before, or the beginning.
         */
        from: unknown;
        /**
         * The value after, or the end.
         */
        to: unknown;
    }>;
};

/**
 * What the event is about.
 */
export type ExceptionChangeData = {
    exception: SlaException;
    /**
     * The fields that changed.
     */
    changes: Record<string, {
        /**
         * The value before, or the beginning.
         */
        from: unknown;
        /**
         * The value after, or the end.
         */
        to: unknown;
    }>;
};

export type ExceptionChangePage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: ExceptionChange[];
    next_cursor: NextCursor;
};

export type ExceptionComment = {
    /**
     * Its ID.
     * @pattern ^cmt_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The exception.
     * @pattern ^exc_[0-9a-z]{20,40}$
     */
    exception_id: string;
    /**
     * Plain text. `<@user:leo>` mentions a person.
     * @maxLength 4000
     */
    body: string;
    /**
     * The people its body mentions, each once.
     * @maxItems 20
     */
    mentions: string[];
    created_at: CreationTime;
    created_by: Creator;
    /**
     * The issuer of the person's token (`iss`). Null if the actor isn't a person, or for older entries.
     * @maxLength 255
     */
    actor_issuer: string | null;
    /**
     * The subject of the person's token (`sub`), unique at its issuer; `actor` is for display.
     * @maxLength 255
     */
    actor_subject: string | null;
};

export type ExceptionCommentPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: ExceptionComment[];
    next_cursor: NextCursor;
};

export type ExceptionCommentedEvent = {
    /**
     * Its type.
     */
    type: "exception.commented";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        exception: SlaException;
        comment: ExceptionComment;
    };
};

export type ExceptionCreatedEvent = {
    /**
     * Its type.
     */
    type: "exception.created";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        exception: SlaException;
    };
};

export type ExceptionFilters = {
    /**
     * How close the deadline is. Null when closed.
     * @minItems 1
     * @maxItems 5
     */
    breach_risk?: OrLater<BreachRiskFilter>[];
    /**
     * Its status.
     * @minItems 1
     * @maxItems 2
     */
    status?: OrLater<OpenExceptionStatus>[];
    /**
     * The assignee, as `user:<name>`. Null: unassigned.
     * @minItems 1
     * @maxItems 20
     */
    assigned_to?: string[];
    /**
     * The reconciliation it came from.
     * @minItems 1
     * @maxItems 20
     */
    reconciliation_id?: string[];
    /**
     * Your own code for the cause.
     * @minItems 1
     * @maxItems 20
     */
    reason_code?: string[];
    /**
     * Without due_at, the SLA policy for this severity sets the deadline.
     * @minItems 1
     * @maxItems 4
     */
    severity?: OrLater<Severity>[];
    /**
     * The ISO 4217 code for amount_minor.
     * @minItems 1
     * @maxItems 20
     */
    currency?: string[];
    /**
     * Only amounts from this on, in minor units.
     * @minimum 0
     * @format int64
     */
    amount_from?: number;
    /**
     * Only deadlines before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    due_before?: string;
    /**
     * Words to search for.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
};

export type ExceptionLedger = {
    /**
     * The exception.
     * @pattern ^exc_[0-9a-z]{20,40}$
     */
    exception_id: string;
    as_of: ResponseTime;
    /**
     * How many breached, or whether this one did.
     */
    breached: boolean;
    /**
     * The explanation.
     * @maxLength 500
     */
    explanation: string;
    /**
     * @maxItems 10000
     */
    rows: LedgerRow[];
    /**
     * What the clock did since the first row, without gaps. Up to as_of they add up to the rows' worked, closed and paused seconds. After as_of: until due_at, at most 92 days ahead, as if resumed now.
     * @maxItems 50000
     */
    segments: LedgerSegment[];
};

export type ExceptionPausedEvent = {
    /**
     * Its type.
     */
    type: "exception.paused";
    timestamp: EventTime;
    test?: TestMark;
    data: ExceptionChangeData;
};

export type ExceptionResolvedEvent = {
    /**
     * Its type.
     */
    type: "exception.resolved";
    timestamp: EventTime;
    test?: TestMark;
    data: ExceptionChangeData;
};

export type ExceptionResumedEvent = {
    /**
     * Its type.
     */
    type: "exception.resumed";
    timestamp: EventTime;
    test?: TestMark;
    data: ExceptionChangeData;
};

export type ExceptionSlaAtRiskEvent = {
    /**
     * Its type.
     */
    type: "exception.sla.at_risk";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        exception: SlaException;
        /**
         * The deadline this event is about.
         * @format date-time
         */
        due_at: string;
        /**
         * The threshold crossed, in minutes before due_at.
         * @minimum 1
         * @format int64
         */
        threshold_minutes: number;
        /**
         * What both thresholds count: all minutes, or open minutes of the exception's calendar.
         */
        threshold_kind: Open<ThresholdKind>;
        /**
         * The next threshold. 0 is the breach.
         * @minimum 0
         * @format int64
         */
        next_threshold_minutes: number | null;
    };
};

export type ExceptionSlaBreachedEvent = {
    /**
     * Its type.
     */
    type: "exception.sla.breached";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        exception: SlaException;
        /**
         * The deadline this event is about.
         * @format date-time
         */
        due_at: string;
    };
};

export type ExceptionSort = "created_at" | "closed_at";

export type ExceptionStatus = "open" | "in_review" | "resolved" | "dismissed";

export type ExceptionUpdatedEvent = {
    /**
     * Its type.
     */
    type: "exception.updated";
    timestamp: EventTime;
    test?: TestMark;
    data: ExceptionChangeData;
};

export type ExcludeLineRequest = {
    /**
     * Kept with the decision.
     * @minLength 1
     * @maxLength 900
     */
    reason: string;
    /**
     * Required if the line's source is compared with several others.
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id?: string;
    idempotency_key?: RequestIdempotencyKey;
};

export type ExportFormat = "csv" | "ndjson";

export type ExportFormatWithWorkbook = "csv" | "ndjson" | "xlsx";

export type FacetValue = {
    /**
     * The value to filter by.
     * @maxLength 1000
     */
    value: string;
    /**
     * How many there are.
     * @minimum 0
     * @format int64
     */
    count: number;
    /**
     * For a reconciliation: its name.
     * @maxLength 200
     */
    name: string | null;
    /**
     * For a currency: the sum at risk, in minor units.
     * @format int64
     */
    amount_minor: number | null;
};

export type FeeHandling = "deduct" | "ignore";

export type FileAfterwards = "leave" | "move" | "delete";

/**
 * The first 100.
 * @maxItems 100
 */
export type FileStatements = {
    /**
     * Its ID.
     * @maxLength 255
     */
    id: string | null;
    /**
     * The account.
     * @maxLength 200
     */
    account: string | null;
    /**
     * The ISO 4217 code for amount_minor.
     * @maxLength 3
     */
    currency: string | null;
    /**
     * The opening balance in minor units, if the file has one.
     * @format int64
     */
    opening_balance_minor: number | null;
    /**
     * The closing balance in minor units, if the file has one.
     * @format int64
     */
    closing_balance_minor: number | null;
    /**
     * Whether the lines add up to the closing balance.
     */
    balance_holds: boolean | null;
    /**
     * Whether the counts and sums that the file states match its lines.
     */
    control_totals_hold: boolean | null;
    /**
     * How many lines there are.
     * @minimum 0
     * @format int64
     */
    line_count: number;
    /**
     * The sum of its lines, as a string, because it can exceed 2⁵³.
     * @maxLength 40
     */
    sum_minor: string;
    /**
     * The first day of the period.
     * @maxLength 10
     * @format date
     */
    period_start: string | null;
    /**
     * The last day of the period.
     * @maxLength 10
     * @format date
     */
    period_end: string | null;
}[];

export type FirstSteps = {
    /**
     * In the recommended order.
     * @maxItems 150
     */
    steps: {
        /**
         * The step.
         */
        step: Open<"create_key" | "call_api" | "register_webhook" | "receive_event">;
        /**
         * Whether it is done.
         */
        done: boolean;
    }[];
    /**
     * The newest API key that is not revoked.
     * @maxLength 44
     */
    key_id: string | null;
    /**
     * The newest webhook.
     * @maxLength 44
     */
    webhook_id: string | null;
    /**
     * Whether you've dismissed them.
     */
    dismissed: boolean;
};

export type ForbiddenProblem = Problem & {
    /**
     * Its status.
     */
    status?: 403;
    /**
     * The code for your program.
     */
    code?: Open<"tenant_forbidden" | "role_required" | "scope_required" | "ip_not_allowed" | "browser_forbidden">;
};

/**
 * Free text for your team.
 * @maxLength 1000
 */
export type FreeText = string | null;

export type HolidayCountries = {
    /**
     * The items.
     * @maxItems 400
     */
    items: {
        /**
         * The code for your program.
         * @minLength 1
         * @maxLength 12
         * @pattern ^[A-Za-z0-9-]+$
         */
        code: string;
        /**
         * Its name.
         * @maxLength 200
         */
        name: string;
    }[];
};

export type Holidays = {
    /**
     * The country's regions, for a narrower request.
     * @maxItems 400
     */
    regions: {
        /**
         * The code for your program.
         * @minLength 1
         * @maxLength 12
         * @pattern ^[A-Za-z0-9-]+$
         */
        code: string;
        /**
         * Its name.
         * @maxLength 200
         */
        name: string;
    }[];
    /**
     * The items.
     * @maxItems 400
     */
    items: {
        /**
         * The day.
         * @format date
         */
        date: string;
        /**
         * Its name.
         * @maxLength 200
         */
        name: string;
        /**
         * Its kind.
         */
        kind: Open<"public" | "bank">;
    }[];
};

export type IcsDays = {
    /**
     * @maxItems 1000
     */
    special_days: SpecialDay[];
    /**
     * Events that aren't all-day, last over 31 days, were cancelled, are only observed or recur in other ways, and those beyond 2,000 events or 1,000 days.
     * @minimum 0
     * @format int64
     */
    skipped: number;
    /**
     * The first 100 of them.
     * @maxItems 100
     */
    skipped_events: {
        /**
         * When it begins.
         * @minimum 1
         * @format int64
         */
        line: number;
        /**
         * Its name.
         * @maxLength 200
         */
        name: string | null;
        /**
         * `observance`: an observed day, not a holiday. `recurrence`: it recurs in a way that isn't supported.
         */
        reason: Open<"cancelled" | "observance" | "not_all_day" | "too_long" | "recurrence" | "limit">;
    }[];
};

export type IdempotencyKeyRequiredProblem = Problem & {
    /**
     * Its status.
     */
    status?: 400;
    /**
     * The code for your program.
     */
    code?: Open<"invalid_request" | "tenant_required" | "idempotency_key_required">;
};

export type IdempotencyMismatchProblem = Problem & {
    /**
     * Its status.
     */
    status?: 422;
    /**
     * The code for your program.
     */
    code?: "idempotency_mismatch";
};

export type IdempotentRecordRequest = {
    idempotencyKey?: RequestIdempotencyKey;
};

export type IdempotentRequest = {
    idempotency_key?: RequestIdempotencyKey;
};

export type Import = {
    /**
     * Its ID.
     * @pattern ^imp_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The source.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    source_id: string;
    /**
     * Its status.
     */
    status: Open<ImportStatus>;
    /**
     * The file's name.
     * @maxLength 255
     */
    file_name: string | null;
    /**
     * The file's format.
     */
    format: Open<ImportFormat>;
    /**
     * Lines that could be read.
     * @minimum 0
     * @format int64
     */
    read_count: number;
    /**
     * Lines that were imported before.
     * @minimum 0
     * @format int64
     */
    duplicate_count: number;
    /**
     * Lines that could not be read.
     * @minimum 0
     * @format int64
     */
    refused_count: number;
    /**
     * Entries that aren't booked, such as pending ones and totals.
     * @minimum 0
     * @format int64
     */
    skipped_count: number;
    refusals: LineRefusals;
    skips: SkippedLines;
    warnings: ImportWarnings;
    statements: FileStatements;
    /**
     * The opening balance in minor units, if the file has one.
     * @format int64
     */
    opening_balance_minor: number | null;
    /**
     * The closing balance in minor units, if the file has one.
     * @format int64
     */
    closing_balance_minor: number | null;
    /**
     * Whether opening + lines = closing in every statement with both balances. Null if none has both.
     */
    balance_holds: boolean | null;
    /**
     * Bytes read so far.
     * @minimum 0
     * @format int64
     */
    bytes_read: number;
    /**
     * Lines that are new.
     * @minimum 0
     * @format int64
     */
    accepted_count: number;
    /**
     * The file's size in bytes.
     * @minimum 0
     * @format int64
     */
    bytes_total: number;
    /**
     * Why it failed; nothing of it was saved.
     * @maxLength 1000
     */
    failure: string | null;
    created_at: CreationTime;
    created_by: Creator;
    /**
     * When it ended. Null: it hasn't.
     * @maxLength 24
     * @format date-time
     */
    finished_at: string | null;
    /**
     * When it was undone. Null: it wasn't.
     * @maxLength 24
     * @format date-time
     */
    undone_at: string | null;
    /**
     * Who undid it.
     * @maxLength 125
     */
    undone_by: string | null;
};

export type ImportDoneEvent = {
    /**
     * Its type.
     */
    type: "import.done";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        /**
         * The import.
         */
        "import": {
            /**
             * Its ID.
             * @pattern ^imp_[0-9a-z]{20,40}$
             */
            id: string;
            /**
             * The source.
             * @pattern ^src_[0-9a-z]{20,40}$
             */
            source_id: string;
            /**
             * Its status.
             */
            status: Open<ImportStatus>;
            /**
             * The file's name.
             * @maxLength 255
             */
            file_name: string | null;
            /**
             * The file's format.
             */
            format: Open<ImportFormat>;
            /**
             * Lines that could be read.
             * @minimum 0
             * @format int64
             */
            read_count: number;
            /**
             * Lines that were imported before.
             * @minimum 0
             * @format int64
             */
            duplicate_count: number;
            /**
             * Lines that could not be read.
             * @minimum 0
             * @format int64
             */
            refused_count: number;
            /**
             * Entries that aren't booked, such as pending ones and totals.
             * @minimum 0
             * @format int64
             */
            skipped_count: number;
            warnings: ImportWarnings;
            /**
             * The opening balance in minor units, if the file has one.
             * @format int64
             */
            opening_balance_minor: number | null;
            /**
             * The closing balance in minor units, if the file has one.
             * @format int64
             */
            closing_balance_minor: number | null;
            /**
             * Whether opening + lines = closing in every statement with both balances. Null if none has both.
             */
            balance_holds: boolean | null;
            /**
             * Bytes read so far.
             * @minimum 0
             * @format int64
             */
            bytes_read: number;
            /**
             * Lines that are new.
             * @minimum 0
             * @format int64
             */
            accepted_count: number;
            /**
             * The file's size in bytes.
             * @minimum 0
             * @format int64
             */
            bytes_total: number;
            /**
             * Why it failed; nothing of it was saved.
             * @maxLength 1000
             */
            failure: string | null;
            created_at: CreationTime;
            created_by: Creator;
            /**
             * When it ended. Null: it hasn't.
             * @maxLength 24
             * @format date-time
             */
            finished_at: string | null;
            /**
             * When it was undone. Null: it wasn't.
             * @maxLength 24
             * @format date-time
             */
            undone_at: string | null;
            /**
             * Who undid it.
             * @maxLength 125
             */
            undone_by: string | null;
        };
    };
};

export type ImportFormat = "csv" | "ndjson" | "json" | "camt.052" | "camt.053" | "camt.054" | "mt940" | "mt942" | "bai2" | "ofx";

export type ImportMapping = {
    /**
     * The column of each field. Without a header row, columns are named 1, 2, 3, …; for JSON, the member's name or its path, such as amount.value.
     */
    fields: Record<string, string>;
    /**
     * For JSON: the path to the list of lines, by default `lines`.
     * @maxLength 200
     * @pattern ^[^.]+(?:\.[^.]+)*$
     */
    lines_path?: string;
    /**
     * By default YYYY-MM-DD.
     */
    date_format?: OrLater<"YYYY-MM-DD" | "YYYY/MM/DD" | "YYYY.MM.DD" | "YYYYMMDD" | "DD.MM.YYYY" | "DD/MM/YYYY" | "DD-MM-YYYY" | "DDMMYYYY" | "MM/DD/YYYY" | "MM-DD-YYYY" | "DD.MM.YY" | "DD/MM/YY" | "DD-MM-YY" | "MM/DD/YY" | "MM-DD-YY" | "YY-MM-DD" | "YY.MM.DD" | "YY/MM/DD" | "YYMMDD" | "DD MMM YYYY" | "DD-MMM-YYYY" | "DD-MMM-YY" | "DD MMM YY" | "MMM DD, YYYY" | "unix_seconds" | "unix_ms">;
    /**
     * Without it, amounts that can be read two ways, such as 1.234, are refused.
     */
    decimal_separator?: OrLater<"." | ",">;
    /**
     * What separates cells.
     */
    delimiter?: OrLater<"," | ";" | "\t" | "|">;
    /**
     * What encloses cells, by default ".
     */
    quote?: OrLater<"\"" | "'" | "none">;
    /**
     * The character encoding.
     */
    encoding?: OrLater<"utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | "windows-1250" | "iso-8859-2" | "iso-8859-15">;
    /**
     * Whether a row names the columns. Rows before it are skipped. By default true.
     */
    header_row?: boolean;
    /**
     * The sign column's values for money out and money in.
     */
    sign_values?: {
        /**
         * The word for a debit.
         * @minItems 1
         * @maxItems 20
         */
        debit: string[];
        /**
         * The word for a credit.
         * @minItems 1
         * @maxItems 20
         */
        credit: string[];
    };
    /**
     * How the file writes a deducted fee: 2.90 (plus, the default) or -2.90 (minus).
     */
    fee_sign?: OrLater<ValueSign>;
    /**
     * For a fee column: whether the fee is deducted from the amount, or the amount is already net of it.
     */
    fee_handling?: OrLater<"deducted" | "included">;
    /**
     * How the debit column writes money out: 45.10 (plus) or -45.10 (minus). The opposite sign is money back.
     */
    debit_sign?: OrLater<ValueSign>;
    /**
     * How the credit column writes money in: 250.00 (plus) or -250.00 (minus). The opposite sign is money taken back.
     */
    credit_sign?: OrLater<ValueSign>;
    /**
     * What a minus means. own: money out. inverted: money in. With a direction column, repeats: nothing beyond the direction. reverses: the opposite direction.
     */
    amount_sign?: OrLater<"own" | "inverted" | "repeats" | "reverses">;
    /**
     * What an amount without CR or DR means if others in the column have one.
     */
    unmarked?: OrLater<"debit" | "credit">;
    /**
     * For a file in one currency without a column for it. ISO 4217.
     * @pattern ^[A-Z]{3}$
     */
    currency?: string;
    /**
     * The column that says whether a row is booked, and what its values mean. Known words need no entry. Rows that aren't booked are skipped.
     */
    status?: {
        /**
         * The name of the column.
         * @minLength 1
         * @maxLength 200
         */
        column: string;
        /**
         * The values for a booked line.
         * @maxItems 30
         */
        booked?: string[];
        /**
         * The values for a line that is not booked.
         * @maxItems 30
         */
        not_booked?: string[];
    };
    /**
     * The column with the balance after each row. Amounts are checked against it.
     * @minLength 1
     * @maxLength 200
     */
    balance?: string;
    /**
     * For a workbook: the sheet that is read.
     * @minLength 1
     * @maxLength 100
     */
    sheet?: string;
};

export type ImportPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Import[];
    next_cursor: NextCursor;
};

export type ImportPreview = {
    /**
     * The file's format.
     */
    format: Open<ImportFormat>;
    /**
     * Lines that could be read.
     * @minimum 0
     * @format int64
     */
    read_count: number;
    /**
     * Lines that were imported before.
     * @minimum 0
     * @format int64
     */
    duplicate_count: number;
    /**
     * Lines that could not be read.
     * @minimum 0
     * @format int64
     */
    refused_count: number;
    /**
     * Entries that aren't booked, such as pending ones and totals.
     * @minimum 0
     * @format int64
     */
    skipped_count: number;
    refusals: LineRefusals;
    skips: SkippedLines;
    warnings: ImportWarnings;
    statements: FileStatements;
    /**
     * The opening balance in minor units, if the file has one.
     * @format int64
     */
    opening_balance_minor: number | null;
    /**
     * The closing balance in minor units, if the file has one.
     * @format int64
     */
    closing_balance_minor: number | null;
    /**
     * Whether opening + lines = closing in every statement with both balances. Null if none has both.
     */
    balance_holds: boolean | null;
    /**
     * Bytes read so far.
     * @minimum 0
     * @format int64
     */
    bytes_read: number;
    /**
     * For camt and OFX.
     * @maxLength 16
     */
    version: string | null;
    /**
     * The character encoding.
     * @maxLength 32
     */
    encoding: string | null;
    /**
     * For CSV: each column's name, what most of its cells look like, and its first cells.
     * @maxItems 1000
     */
    columns: {
        /**
         * Its name.
         * @maxLength 200
         */
        name: string;
        /**
         * Its kind.
         * @maxLength 32
         */
        kind: string;
        /**
         * Examples.
         * @maxItems 10
         */
        samples: string[];
    }[] | null;
    /**
     * The mapping that was used. Save it with the source to read other files the same way.
     */
    mapping: ImportMapping | null;
    /**
     * Questions that the file leaves open. Answer them in the mapping; no line is read until then.
     * @maxItems 100
     */
    questions: {
        /**
         * The mapping's field that the answer is for.
         * @maxLength 64
         */
        about: string;
        /**
         * The explanation.
         * @maxLength 2000
         */
        message: string;
        /**
         * An example.
         * @maxLength 1000
         */
        example: string | null;
        /**
         * The possible answers.
         * @maxItems 1000
         */
        choices: {
            /**
             * The value for the mapping; JSON unless it is text.
             * @maxLength 1000
             */
            value: string;
            /**
             * How the example is read with this answer.
             * @maxLength 200
             */
            reads_as: string | null;
        }[];
    }[];
    /**
     * The first ten.
     * @maxItems 10
     */
    lines: {
        /**
         * The row's number in the file.
         * @format int64
         */
        file_line: number;
        /**
         * The source's own ID of the line.
         * @maxLength 200
         */
        external_id: string | null;
        /**
         * Money at risk, in the currency's minor unit: 125000 is 1,250.00 EUR.
         * @format int64
         */
        amount_minor: number;
        /**
         * The fee, in minor units.
         * @format int64
         */
        fee_minor: number | null;
        currency: CurrencyOfAmount;
        /**
         * The day on which the amount counts.
         * @format date
         */
        value_date: string;
        /**
         * The day on which it was booked.
         * @maxLength 10
         * @format date
         */
        booked_date: string | null;
        /**
         * The payment reference.
         * @maxLength 500
         */
        reference: string | null;
        /**
         * The other party.
         * @maxLength 500
         */
        counterparty: string | null;
        description: FreeText;
        /**
         * Lines with the same key belong together, such as a payout.
         * @maxLength 200
         */
        group_key: string | null;
        /**
         * Any data that your own systems need.
         */
        details: Record<string, unknown>;
        /**
         * Whether it already existed.
         */
        duplicate: boolean;
    }[];
    /**
     * How many of the first lines were checked for duplicates.
     * @minimum 0
     * @format int64
     */
    checked_count: number;
    /**
     * Why the file cannot be read as a whole.
     * @maxLength 1000
     */
    failure: string | null;
    /**
     * False if only the file's first MiB was read.
     */
    complete: boolean;
};

export type ImportReport = {
    /**
     * How many were accepted.
     * @minimum 0
     * @format int64
     */
    accepted: number;
    /**
     * How many were refused.
     * @minimum 0
     * @format int64
     */
    refused: number;
    /**
     * The first 1,000 rejected rows.
     * @maxItems 1000
     */
    errors: {
        /**
         * The line's number in the file, from 1.
         * @format int64
         */
        line: number;
        /**
         * The path.
         * @maxLength 16384
         */
        path: string;
        /**
         * The explanation.
         * @maxLength 2000
         */
        message: string;
    }[];
};

export type ImportStatus = "queued" | "reading" | "done" | "failed" | "undoing" | "undone";

export type ImportWarning = "nothing_stored" | "skipped" | "refused" | "balance_differs" | "running_balance_breaks" | "several_accounts" | "hidden_rows" | "control_totals_differ";

/**
 * What to check although the file could be read.
 * @maxItems 30
 */
export type ImportWarnings = {
    /**
     * The code for your program.
     */
    code: Open<ImportWarning>;
    /**
     * The explanation.
     * @maxLength 2000
     */
    message: string;
}[];

export type IncludeLineRequest = {
    /**
     * Kept with the decision.
     * @minLength 1
     * @maxLength 900
     */
    reason: string;
    /**
     * Required if the line's source is compared with several others.
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id?: string;
    idempotency_key?: RequestIdempotencyKey;
};

/**
 * Connections to the systems you reconcile.
 */
export type Integration = {
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name?: string | null;
    /**
     * The connected system.
     * @minLength 1
     * @maxLength 120
     */
    provider?: string | null;
    /**
     * Its status.
     * @minLength 1
     * @maxLength 64
     */
    status?: string | null;
    /**
     * Any JSON object. Values that look like credentials are rejected.
     */
    config?: Record<string, unknown> | null;
    /**
     * Your own keyword for filtering lists.
     * @maxLength 200
     */
    operation?: string | null;
    /**
     * Your own number, 1 to 250.
     * @minimum 1
     * @maximum 250
     */
    limit?: number | null;
    /**
     * Its ID.
     * @pattern ^rec_[0-9a-z]{20,40}$
     */
    id: string;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
    /**
     * True once deleted.
     */
    soft_delete: boolean;
    /**
     * When it was deleted.
     * @maxLength 24
     * @format date-time
     */
    deleted_at: string | null;
    /**
     * When a deleted record is permanently deleted: 30 days after deletion.
     * @maxLength 24
     * @format date-time
     */
    purge_at: string | null;
    [name: string]: unknown;
};

export type IntegrationPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Integration[];
    next_cursor: NextCursor;
};

export type InternalProblem = Problem & {
    /**
     * Its status.
     */
    status?: 500;
    /**
     * The code for your program.
     */
    code?: "internal";
};

export type InvalidRequestProblem = Problem & {
    /**
     * Its status.
     */
    status?: 400;
    /**
     * The code for your program.
     */
    code?: Open<"invalid_request" | "tenant_required">;
};

export type Invitation = {
    /**
     * Its ID.
     * @pattern ^inv_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Their email address.
     * @maxLength 254
     */
    email: string;
    /**
     * Their roles in the tenant.
     * @maxItems 16
     */
    roles: Open<Role>[];
    /**
     * Its status.
     */
    status: Open<InvitationStatus>;
    created_at: CreationTime;
    created_by: Creator;
    /**
     * When the mail was sent. Null: it is being sent.
     * @maxLength 24
     * @format date-time
     */
    sent_at: string | null;
    /**
     * Seven days after it was last sent.
     * @format date-time
     */
    expires_at: string;
    /**
     * When it was accepted. Null: it hasn't been.
     * @maxLength 24
     * @format date-time
     */
    accepted_at: string | null;
    /**
     * When it was revoked.
     * @maxLength 24
     * @format date-time
     */
    revoked_at: string | null;
    /**
     * Who revoked it. `system` at the end of a grace period.
     * @maxLength 125
     */
    revoked_by: string | null;
};

export type InvitationPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Invitation[];
    next_cursor: NextCursor;
};

export type InvitationStatus = "pending" | "accepted" | "expired" | "revoked";

export type IpNotAllowedOrBrowserForbiddenProblem = Problem & {
    /**
     * Its status.
     */
    status?: 403;
    /**
     * The code for your program.
     */
    code?: Open<"tenant_forbidden" | "ip_not_allowed" | "browser_forbidden">;
};

export type KnownName = {
    /**
     * The name on the left side.
     * @maxLength 2000
     */
    left: string;
    /**
     * The name on the right side, without words that contain digits.
     * @maxLength 2000
     */
    right: string;
    /**
     * How many were confirmed.
     * @format int64
     */
    confirmed: number;
};

/**
 * What was learned from decisions: the shares of true matches, and pairs of names for one counterparty.
 */
export type LearntWeights = {
    /**
     * How many were confirmed.
     * @format int64
     */
    confirmed: number;
    /**
     * How many were rejected.
     * @format int64
     */
    rejected: number;
    /**
     * What was learned about each comparison.
     * @maxItems 100
     */
    findings: {
        /**
         * The comparison and its result.
         * @maxLength 200
         */
        finding: string;
        /**
         * A share from 0 to 1.
         */
        share: number;
        /**
         * How often it occurred.
         */
        seen: number;
    }[];
    /**
     * How suggestions were decided, by rule.
     */
    track_record: {
        /**
         * How many were decided.
         * @format int64
         */
        decided: number;
        /**
         * The share that was confirmed, from 0 to 1.
         */
        precision: number | null;
        /**
         * The lower end of its 95 % confidence interval.
         */
        at_least: number | null;
        /**
         * Whether the rule matches automatically with `earned`.
         */
        proven: boolean;
    };
    /**
     * Names of one counterparty that share no word, learned from confirmed matches. forget_names removes them.
     * @maxItems 500
     */
    names: KnownName[];
};

export type LedgerRow = {
    /**
     * When it happened.
     * @format date-time
     */
    at: string;
    /**
     * Its kind.
     */
    kind: Open<"set" | "moved" | "crossed" | "paused" | "resumed" | "recalculated" | "resolved" | "dismissed" | "reopened">;
    /**
     * The deadline.
     * @format date-time
     */
    due_at: string;
    /**
     * For a crossing: minutes before due_at. 0 is the breach.
     * @format int64
     */
    threshold_minutes: number | null;
    /**
     * What threshold_minutes counts: all minutes, or open ones of the calendar.
     */
    threshold_kind: Open<ThresholdKind> | null;
    /**
     * Since the previous row: worked_seconds, closed_seconds and paused_seconds together.
     */
    elapsed_seconds: number;
    /**
     * The part of elapsed_seconds in which the clock ran.
     */
    worked_seconds: number;
    /**
     * The part of elapsed_seconds outside of business hours.
     */
    closed_seconds: number;
    /**
     * The part of elapsed_seconds in which it was paused.
     */
    paused_seconds: number;
    /**
     * How far due_at was moved.
     */
    moved_seconds: number;
    /**
     * Until due_at: the previous row's value, minus elapsed_seconds, plus moved_seconds.
     */
    remaining_seconds: number;
    /**
     * How far due_at was moved in business time. Null without a calendar.
     */
    business_moved_seconds: number | null;
    /**
     * Business time until due_at: the previous row's value, minus worked_seconds, plus business_moved_seconds. Null without a calendar.
     */
    business_remaining_seconds: number | null;
    /**
     * Who did it: `user:<name>`, `api_key:<id>`, `service_role` or `system`.
     * @maxLength 125
     */
    actor: string;
    /**
     * The issuer of the person's token (`iss`). Null if the actor isn't a person, or for older entries.
     * @maxLength 255
     */
    actor_issuer: string | null;
    /**
     * The subject of the person's token (`sub`), unique at its issuer; `actor` is for display.
     * @maxLength 255
     */
    actor_subject: string | null;
    /**
     * The X-Request-Id of the request.
     * @maxLength 64
     */
    request_id: string | null;
};

export type LedgerSegment = {
    /**
     * The beginning.
     * @format date-time
     */
    starts_at: string;
    /**
     * The end.
     * @format date-time
     */
    ends_at: string;
    /**
     * Its kind.
     */
    kind: Open<"worked" | "closed" | "paused">;
};

/**
 * What ledger files need to know about the ledger.
 */
export type LedgerSettings = {
    /**
     * The consultant's number in DATEV.
     * @minimum 1001
     * @maximum 9999999
     */
    datev_consultant: number | null;
    /**
     * The client's number in DATEV.
     * @minimum 1
     * @maximum 99999
     */
    datev_client: number | null;
    /**
     * The length of a general ledger account number in DATEV.
     * @minimum 4
     * @maximum 8
     */
    datev_account_length: number;
    /**
     * The month in which the fiscal year begins.
     * @minimum 1
     * @maximum 12
     */
    fiscal_year_month: number;
    /**
     * The company code in SAP.
     * @maxLength 4
     * @pattern ^[A-Z0-9]{1,4}$
     */
    sap_company_code: string | null;
    /**
     * Where each batch is written. Null: nowhere.
     */
    push: EntryPushSettings | null;
};

/**
 * What ledger files need to know about the ledger.
 */
export type LedgerSettingsInput = {
    /**
     * The consultant's number in DATEV.
     * @minimum 1001
     * @maximum 9999999
     */
    datev_consultant?: number | null;
    /**
     * The client's number in DATEV.
     * @minimum 1
     * @maximum 99999
     */
    datev_client?: number | null;
    /**
     * The length of a general ledger account number in DATEV.
     * @minimum 4
     * @maximum 8
     */
    datev_account_length?: number;
    /**
     * The month in which the fiscal year begins.
     * @minimum 1
     * @maximum 12
     */
    fiscal_year_month?: number;
    /**
     * The company code in SAP.
     * @maxLength 4
     * @pattern ^[A-Z0-9]{1,4}$
     */
    sap_company_code?: string | null;
    /**
     * Where each batch is written. Null: nowhere.
     */
    push?: EntryPushInput | null;
};

export type Line = {
    /**
     * Its ID.
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The source.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    source_id: string;
    /**
     * The import that added it. Null: it was sent as JSON.
     * @maxLength 44
     * @pattern ^imp_[0-9a-z]{20,40}$
     */
    import_id: string | null;
    /**
     * Line of the imported file.
     * @format int64
     */
    file_line: number | null;
    /**
     * The source's own ID of the line.
     * @maxLength 200
     */
    external_id: string | null;
    /**
     * The signed amount, as posted.
     * @format int64
     */
    amount_minor: number;
    /**
     * The fee deducted from it: amount − fee was paid out.
     * @format int64
     */
    fee_minor: number | null;
    currency: CurrencyOfAmount;
    /**
     * The day on which the amount counts.
     * @format date
     */
    value_date: string;
    /**
     * The day on which it was booked.
     * @maxLength 10
     * @format date
     */
    booked_date: string | null;
    /**
     * The payment reference.
     * @maxLength 500
     */
    reference: string | null;
    /**
     * The other party.
     * @maxLength 500
     */
    counterparty: string | null;
    description: FreeText;
    /**
     * Lines with the same key belong together, such as a payout.
     * @maxLength 200
     */
    group_key: string | null;
    /**
     * Other data in the file or request.
     */
    details: Record<string, unknown>;
    /**
     * Its state in the requested reconciliation, otherwise where most of it is open.
     */
    state: Open<"open" | "partly_matched" | "matched" | "excluded">;
    /**
     * The amount not matched yet, with the sign of the amount.
     * @format int64
     */
    open_minor: number;
    /**
     * The number of confirmed matches with it.
     * @maxItems 1000
     */
    match_ids: string[];
    /**
     * Its open exception. Lines in the same suggestion share one.
     * @maxLength 44
     * @pattern ^exc_[0-9a-z]{20,40}$
     */
    exception_id: string | null;
    created_at: CreationTime;
};

export type LineEvent = {
    /**
     * matched: by a run or manually. undone: a match or a decision was undone.
     */
    type: Open<"added" | "suggested" | "matched" | "confirmed" | "rejected" | "undone" | "excluded" | "included" | "exception_opened" | "exception_resolved" | "exception_dismissed">;
    /**
     * When it happened.
     * @format date-time
     */
    at: string;
    /**
     * system: a run. Null if it isn't recorded here.
     * @maxLength 125
     */
    actor: string | null;
    /**
     * The reconciliation it came from.
     * @maxLength 44
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id: string | null;
    /**
     * The match.
     * @maxLength 44
     * @pattern ^mat_[0-9a-z]{20,40}$
     */
    match_id: string | null;
    /**
     * The exception.
     * @maxLength 44
     * @pattern ^exc_[0-9a-z]{20,40}$
     */
    exception_id: string | null;
    /**
     * The import that added it. Null: it was sent as JSON.
     * @maxLength 44
     * @pattern ^imp_[0-9a-z]{20,40}$
     */
    import_id: string | null;
    /**
     * The name of the file or rule, the reason for an exclusion or exception, or a resolution.
     * @maxLength 1000
     */
    note: string | null;
};

export type LineExceptionPolicy = {
    /**
     * Who gets the exceptions of this pair of sources.
     * @maxLength 125
     * @pattern ^user:[^\s]{1,120}$
     */
    assigned_to: string | null;
    /**
     * Severity by amount at risk.
     * @minItems 1
     * @maxItems 10
     */
    severities: {
        /**
         * The smallest amount, in minor units.
         * @minimum 0
         * @format int64
         */
        from_minor: number;
        /**
         * Without due_at, the SLA policy for this severity sets the deadline.
         */
        severity: OrLater<Severity>;
    }[];
    /**
     * The maximum number of exceptions that one run opens.
     * @minimum 0
     * @maximum 10000
     */
    most_a_run: number;
};

export type LineHistory = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: LineEvent[];
};

export type LinePage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Line[];
    next_cursor: NextCursor;
};

/**
 * The first 100.
 * @maxItems 100
 */
export type LineRefusals = {
    /**
     * Line of the file, from 1.
     * @format int64
     */
    line: number | null;
    /**
     * The field, or the format's own name for it.
     * @maxLength 200
     */
    field: string | null;
    /**
     * The explanation.
     * @maxLength 2000
     */
    message: string;
}[];

export type LineSide = "left" | "right";

export type LineSuggestion = {
    /**
     * Lines of the other side that together are its counterpart.
     * @maxItems 100000
     */
    line_ids: string[];
    reconciliation_id: OriginReconciliationId;
    /**
     * The rule's name, or manual.
     * @maxLength 200
     */
    method: string;
    /**
     * How probable it is, from 0 to 1.
     * @minimum 0
     * @maximum 1
     */
    score: number;
    /**
     * Left − right if they were matched.
     * @format int64
     */
    difference_minor: number;
    /**
     * The explanation.
     */
    explanation: MatchExplanation;
};

export type LineSuggestions = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: LineSuggestion[];
};

export type ListedEvent = {
    /**
     * The same as the webhook-id header of its deliveries.
     * @pattern ^evt_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its type.
     */
    type: Open<EventKind>;
    timestamp: EventTime;
    test?: TestMark;
    /**
     * The ID of what it is about.
     * @maxLength 64
     */
    subject: string | null;
    /**
     * The same as in a delivery of this type.
     */
    data: Record<string, unknown>;
};

export type ListedEventPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: ListedEvent[];
    /**
     * Null if there are no more events for now.
     * @maxLength 2000
     */
    next_cursor: string | null;
    /**
     * The position after this page. Save it after you have stored the events.
     * @maxLength 2000
     */
    resume_cursor: string;
    as_of: ResponseTime;
};

export type LoggedMessage = {
    /**
     * The headers.
     */
    headers: Record<string, string>;
    /**
     * The first 4 kB. Null if it was empty, a file, or not stored.
     * @maxLength 16384
     */
    body: string | null;
    /**
     * Its length. Null if unknown.
     * @minimum 0
     * @format int64
     */
    bytes: number | null;
    /**
     * Whether the body was cut.
     */
    truncated: boolean;
};

export type LoggedRequest = {
    /**
     * The X-Request-Id.
     * @pattern ^req_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * When it happened.
     * @format date-time
     */
    at: string;
    /**
     * Null for a path or method that isn't in the API.
     * @maxLength 200
     */
    operation: string | null;
    /**
     * HTTP method.
     * @maxLength 200
     */
    method: string;
    /**
     * Without the query.
     * @maxLength 16384
     */
    path: string;
    /**
     * As sent, without the question mark.
     * @maxLength 2048
     */
    query: string;
    /**
     * The ID in the path, or that of the created resource.
     * @maxLength 200
     */
    resource: string | null;
    /**
     * HTTP status.
     * @format int64
     */
    status: number;
    /**
     * The error code. Null if it succeeded.
     * @maxLength 32
     */
    error_code: string | null;
    /**
     * Rejected before it ran, by credential, tenant, role, scope, address or rate limit. An API key's usage counts these as refused.
     */
    refused: boolean;
    /**
     * Response time.
     * @minimum 0
     * @format int64
     */
    duration_ms: number;
    /**
     * session: the dashboard; token: a user's JWT.
     */
    credential: Open<CallCredential>;
    /**
     * Null if the credential failed: it named one of your API keys without its secret.
     * @maxLength 125
     */
    actor: string | null;
    /**
     * The API key. Null: another credential.
     * @maxLength 44
     * @pattern ^key_[0-9a-z]{20,40}$
     */
    api_key_id: string | null;
    /**
     * The IP address.
     * @maxLength 45
     */
    address: string | null;
};

/**
 * request and response are null if you may not call the operation, if it is personal (views, sessions, notification settings), or, for a webhook's delivery, if you may not read all types of events.
 */
export type LoggedRequestDetail = {
    /**
     * The X-Request-Id.
     * @pattern ^req_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * When it happened.
     * @format date-time
     */
    at: string;
    /**
     * Null for a path or method that isn't in the API.
     * @maxLength 200
     */
    operation: string | null;
    /**
     * HTTP method.
     * @maxLength 200
     */
    method: string;
    /**
     * Without the query.
     * @maxLength 16384
     */
    path: string;
    /**
     * As sent, without the question mark.
     * @maxLength 2048
     */
    query: string;
    /**
     * The ID in the path, or that of the created resource.
     * @maxLength 200
     */
    resource: string | null;
    /**
     * HTTP status.
     * @format int64
     */
    status: number;
    /**
     * The error code. Null if it succeeded.
     * @maxLength 32
     */
    error_code: string | null;
    /**
     * Rejected before it ran, by credential, tenant, role, scope, address or rate limit. An API key's usage counts these as refused.
     */
    refused: boolean;
    /**
     * Response time.
     * @minimum 0
     * @format int64
     */
    duration_ms: number;
    /**
     * session: the dashboard; token: a user's JWT.
     */
    credential: Open<CallCredential>;
    /**
     * Null if the credential failed: it named one of your API keys without its secret.
     * @maxLength 125
     */
    actor: string | null;
    /**
     * The API key. Null: another credential.
     * @maxLength 44
     * @pattern ^key_[0-9a-z]{20,40}$
     */
    api_key_id: string | null;
    /**
     * The IP address.
     * @maxLength 45
     */
    address: string | null;
    request: LoggedMessage | null;
    response: LoggedMessage | null;
};

export type LoggedRequestPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: LoggedRequest[];
    next_cursor: NextCursor;
    as_of: ResponseTime;
};

export type MarkEntryBatchExportedRequest = {
    /**
     * The ledger's reference for it.
     * @minLength 1
     * @maxLength 200
     */
    ledger_reference?: string | null;
    idempotency_key?: RequestIdempotencyKey;
};

export type Match = {
    /**
     * Its ID.
     * @pattern ^mat_[0-9a-z]{20,40}$
     */
    id: string;
    reconciliation_id: OriginReconciliationId;
    /**
     * The run that created it. Null: a manual match.
     * @maxLength 44
     * @pattern ^run_[0-9a-z]{20,40}$
     */
    run_id: string | null;
    /**
     * Its state.
     */
    state: Open<MatchState>;
    /**
     * How many lines of each side it has.
     */
    shape: Open<MatchShape>;
    /**
     * The rule's name, or manual.
     * @maxLength 200
     */
    method: string;
    /**
     * How probable it is. Null for a manual match.
     * @minimum 0
     * @maximum 1
     */
    score: number | null;
    /**
     * How much worse the next best solution is, in nats. Null if there is none.
     */
    margin: number | null;
    currency: CurrencyOfAmount;
    /**
     * The amount of the left side, or of the positive half of a reversal.
     * @format int64
     */
    amount_minor: number;
    /**
     * The remaining difference: left − right − adjustments.
     * @format int64
     */
    residual_minor: number;
    /**
     * Differences that the match accepts, by kind.
     * @maxItems 1000
     */
    adjustments: {
        /**
         * Its kind.
         */
        kind: Open<AdjustmentKind>;
        /**
         * The part of left − right that it explains.
         * @format int64
         */
        amount_minor: number;
        /**
         * A note.
         * @maxLength 1000
         */
        note: string | null;
    }[];
    /**
     * The explanation.
     */
    explanation: MatchExplanation;
    /**
     * The lines that it matches.
     * @maxItems 100000
     */
    members: {
        /**
         * The line.
         * @pattern ^lin_[0-9a-z]{20,40}$
         */
        line_id: string;
        /**
         * The side of the reconciliation.
         */
        side: Open<LineSide>;
        /**
         * The matched part of the line; negated if the source is inverted.
         * @format int64
         */
        allocated_minor: number;
        /**
         * The line's value.
         * @format date
         */
        value_date?: string;
        /**
         * The line's value.
         * @maxLength 500
         */
        reference?: string | null;
        /**
         * The line's value.
         * @maxLength 500
         */
        counterparty?: string | null;
    }[];
    /**
     * A note.
     * @maxLength 1000
     */
    note: string | null;
    /**
     * Who created, confirmed, rejected or undid it. Null: a run.
     * @maxLength 125
     */
    decided_by: string | null;
    /**
     * When it was decided.
     * @maxLength 24
     * @format date-time
     */
    decided_at: string | null;
    created_at: CreationTime;
    created_by: Creator;
};

export type MatchDecisions = {
    /**
     * How many there are.
     * @format int64
     */
    count: number;
    /**
     * The first 500.
     * @maxItems 1000
     */
    items: Match[];
};

export type MatchExplanation = {
    /**
     * The rule's name, or manual.
     * @maxLength 200
     */
    rule: string;
    /**
     * Why these lines match: see the guide to matching.
     */
    basis: Open<"unique" | "in_order" | "nearest" | "keyed" | "sum" | "evidence" | "manual">;
    /**
     * The comparison of each field.
     * @maxItems 16
     */
    fields: {
        /**
         * The field.
         * @maxLength 200
         */
        field: string;
        /**
         * The value on the left side.
         * @maxLength 2000
         */
        left: string | null;
        /**
         * The value on the right side.
         * @maxLength 2000
         */
        right: string | null;
        /**
         * The result of the comparison.
         */
        verdict: Open<"equal" | "close" | "similar" | "differs" | "missing">;
        /**
         * Evidence for or against, in nats. Null for a rule without weights.
         */
        weight: number | null;
    }[];
    /**
     * How much of the rule's tolerance was used.
     */
    tolerance: {
        /**
         * The difference, in minor units.
         * @maxLength 40
         */
        amount_used_minor: string;
        /**
         * The accepted difference, in minor units.
         */
        amount_allowed_minor: number;
        /**
         * From the left line to the right one.
         * @format int64
         */
        days: number;
        /**
         * How many days before.
         * @format int64
         */
        days_before: number | null;
        /**
         * How many days after.
         * @format int64
         */
        days_after: number | null;
    } | null;
    /**
     * The next best line. Null if there was none.
     */
    runner_up: {
        /**
         * The side of the reconciliation.
         */
        side: Open<LineSide>;
        /**
         * The line.
         * @pattern ^lin_[0-9a-z]{20,40}$
         */
        line_id: string;
    } | null;
    /**
     * By how many nats it was worse. Null if there was none.
     */
    margin: number | null;
    /**
     * Why it is only suggested. Null for a match.
     */
    held: (Open<"rule" | "track_record" | "score" | "margin" | "chance" | "budget" | "contradiction" | "window">) | null;
    /**
     * Further reasons, such as equal lines that were paired in order.
     * @maxLength 500
     */
    note: string | null;
};

export type MatchPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Match[];
    next_cursor: NextCursor;
};

export type MatchShape = "1:1" | "1:n" | "n:1" | "n:m" | "reversal";

export type MatchState = "suggested" | "confirmed" | "rejected" | "undone";

export type MatchUndoneEvent = {
    /**
     * Its type.
     */
    type: "match.undone";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        /**
         * The match.
         */
        match: {
            /**
             * Its ID.
             * @pattern ^mat_[0-9a-z]{20,40}$
             */
            id: string;
            reconciliation_id: OriginReconciliationId;
            /**
             * How many lines of each side it has.
             */
            shape: Open<MatchShape>;
            /**
             * The rule's name, or manual.
             * @maxLength 200
             */
            method: string;
            currency: CurrencyOfAmount;
            /**
             * The amount of the left side, or of the positive half of a reversal.
             * @format int64
             */
            amount_minor: number;
            /**
             * The remaining difference: left − right − adjustments.
             * @format int64
             */
            residual_minor: number;
            /**
             * The lines.
             * @maxItems 100000
             */
            line_ids: string[];
        };
        /**
         * Who undid it.
         * @maxLength 125
         */
        undone_by: string;
    };
};

export type MatchingRule = {
    /**
     * The name of the rule in matches. Each name once.
     * @minLength 1
     * @maxLength 100
     */
    name: string;
    /**
     * Its kind.
     */
    kind: OrLater<"exact" | "tolerance" | "reversal" | "reference" | "group" | "score">;
    /**
     * Fields that have the same value on all lines of a match, besides amount and currency.
     * @maxItems 6
     */
    on?: (OrLater<"value_date" | "booked_date" | "reference" | "counterparty" | "description" | "group_key">)[];
    /**
     * The largest accepted difference, in minor units.
     * @minimum 0
     * @format int64
     */
    amount_tolerance_minor?: number;
    /**
     * In basis points of the larger amount.
     * @minimum 0
     * @maximum 10000
     */
    amount_tolerance_bps?: number;
    /**
     * How many days before the left line the right line may be dated.
     * @minimum 0
     * @maximum 366
     */
    days_before?: number;
    /**
     * How many days after.
     * @minimum 0
     * @maximum 366
     */
    days_after?: number;
    /**
     * What days_before and days_after count. business: days on which the calendar of calendar_id opens.
     */
    day_kind?: OrLater<"calendar" | "business">;
    /**
     * The maximum number of lines that a search for sums combines.
     * @minimum 2
     * @maximum 50
     */
    max_group_size?: number;
    /**
     * keep: the match keeps the difference. none: the rest of the larger line stays open.
     */
    residual?: OrLater<"none" | "keep">;
    /**
     * Whether it matches or only suggests.
     */
    then: OrLater<"match" | "suggest">;
};

export type Me = {
    /**
     * The tenant.
     * @pattern ^[a-z0-9][a-z0-9_-]{0,62}(\.sandbox)?$
     */
    tenant_id: string;
    /**
     * Null for the publishable key.
     * @maxLength 200
     */
    tenant_name: string | null;
    /**
     * Its kind.
     */
    kind: Open<"live" | "sandbox">;
    /**
     * This tenant's sandbox, if it has one.
     * @maxLength 71
     */
    sandbox_id: string | null;
    /**
     * The caller.
     */
    principal: {
        /**
         * Its type.
         */
        type: Open<"user" | "api_key" | "publishable_key" | "service_role">;
        /**
         * Its ID.
         * @maxLength 255
         */
        id: string;
        /**
         * Its name.
         * @maxLength 200
         */
        name: string;
        /**
         * Their roles in the tenant.
         * @maxItems 16
         */
        roles: string[];
        /**
         * Write access doesn't include read access.
         * @maxItems 64
         */
        scopes: string[];
    };
};

export type Member = {
    /**
     * Its name.
     * @maxLength 200
     */
    name: string;
    /**
     * The value for assigned_to.
     * @pattern ^user:[^\s]{1,120}$
     */
    user: string;
    /**
     * Empty if known only from an assignment.
     * @maxItems 16
     */
    roles: Open<Role>[];
    /**
     * directory: a member in Supabase Auth. assignment: an exception is assigned to this name.
     */
    source: Open<"directory" | "assignment">;
};

export type MemberPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Member[];
    next_cursor: NextCursor;
};

/**
 * In minor units. Beyond 2^53 − 1, the digits as a string.
 */
export type MinorAmount = number | string;

/**
 * Time from creation to due_at, if no due_at is sent.
 */
export type MinutesBySeverity = {
    /**
     * For critical exceptions.
     * @minimum 1
     * @maximum 525600
     */
    critical: number;
    /**
     * For high exceptions.
     * @minimum 1
     * @maximum 525600
     */
    high: number;
    /**
     * For medium exceptions.
     * @minimum 1
     * @maximum 525600
     */
    medium: number;
    /**
     * For low exceptions.
     * @minimum 1
     * @maximum 525600
     */
    low: number;
};

export type NewApiKey = {
    /**
     * Its ID.
     * @pattern ^key_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its name.
     * @maxLength 200
     */
    name: string;
    /**
     * The public part of the credential.
     * @maxLength 44
     */
    key_id: string;
    /**
     * Write access doesn't include read access.
     * @maxItems 64
     */
    scopes: string[];
    /**
     * When it stops working. Null: never.
     * @maxLength 24
     * @format date-time
     */
    expires_at: string | null;
    /**
     * The addresses and ranges it can be used from. Empty: any.
     * @maxItems 50
     */
    ip_allowlist: string[];
    created_at: CreationTime;
    created_by: Creator;
    /**
     * Shown only once. It can't be retrieved again.
     * @maxLength 58
     * @format password
     */
    key_secret: string;
    /**
     * A sentence that says what to check.
     * @maxLength 200
     */
    warning: string;
};

export type NewLine = {
    /**
     * The line's own ID. A line sent again with it is a duplicate.
     * @minLength 1
     * @maxLength 200
     */
    external_id?: string;
    /**
     * Decimal: money in without a sign, money out with a minus. Send this or amount_minor.
     * @maxLength 32
     */
    amount?: string;
    /**
     * The same in the currency's minor unit.
     * @format int64
     */
    amount_minor?: number;
    /**
     * Decimal: the fee deducted from the amount, so amount − fee was paid out. Negative: a refunded fee.
     * @maxLength 32
     */
    fee?: string;
    /**
     * The same in the currency's minor unit.
     * @format int64
     */
    fee_minor?: number;
    /**
     * ISO 4217. By default the source's.
     * @pattern ^[A-Z]{3}$
     */
    currency?: string;
    /**
     * The day on which the amount counts.
     */
    value_date: string | string;
    /**
     * The day on which it was booked.
     */
    booked_date?: string | string;
    /**
     * The payment reference.
     * @minLength 1
     * @maxLength 500
     */
    reference?: string;
    /**
     * The other party.
     * @minLength 1
     * @maxLength 500
     */
    counterparty?: string;
    /**
     * Free text for your team.
     * @minLength 1
     * @maxLength 4000
     */
    description?: string;
    /**
     * The same for all lines of a batch, for example a payout's number.
     * @minLength 1
     * @maxLength 200
     */
    group_key?: string;
    /**
     * Other data, at most 16 kB.
     */
    details?: Record<string, unknown>;
};

export type NewWebhook = {
    /**
     * Its ID.
     * @pattern ^whk_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Where events are sent.
     * @maxLength 2048
     */
    url: string;
    description: FreeText;
    /**
     * The event types it subscribes to.
     * @maxItems 32
     */
    events: Open<EventKind>[];
    /**
     * Which events it gets. Empty: all.
     */
    filters: WebhookFilters;
    /**
     * The headers sent with its deliveries. Their values are never returned.
     * @maxItems 10
     */
    header_names: string[];
    /**
     * The maximum number of attempts a minute; others wait. Null: no limit.
     * @minimum 1
     * @maximum 6000
     */
    max_per_minute: number | null;
    /**
     * Where its deliveries get their token.
     */
    oauth: {
        /**
         * The token endpoint.
         * @maxLength 2048
         */
        token_url: string;
        /**
         * The client's ID at that endpoint.
         * @maxLength 200
         */
        client_id: string;
        /**
         * The requested scope.
         * @maxLength 500
         */
        scope?: string;
    } | null;
    /**
     * Its status.
     */
    status: Open<WebhookStatus>;
    /**
     * When it was disabled.
     * @maxLength 24
     * @format date-time
     */
    disabled_at: string | null;
    /**
     * Who disabled it. `system` if its failures did.
     * @maxLength 125
     */
    disabled_by: string | null;
    /**
     * manual: by a user; failing: every attempt failed for 5 days; gone: the receiver responded with 410.
     */
    disabled_reason: Open<WebhookDisabledReason> | null;
    /**
     * A sentence explaining why.
     * @maxLength 1000
     */
    disabled_detail: string | null;
    /**
     * failing: no success since failing_since; degraded: under 95 % success in 24 h; idle: no attempts in 24 h.
     */
    health: Open<WebhookHealth>;
    last_24h: DeliveriesOfDay;
    last_7d: DeliveriesOfWeek;
    /**
     * Every attempt since this time has failed.
     * @maxLength 24
     * @format date-time
     */
    failing_since: string | null;
    /**
     * A failed attempt after this time disables it.
     * @maxLength 24
     * @format date-time
     */
    disable_at: string | null;
    /**
     * The latest successful attempt.
     * @maxLength 24
     * @format date-time
     */
    last_success_at: string | null;
    /**
     * The latest failed attempt.
     * @maxLength 24
     * @format date-time
     */
    last_failure_at: string | null;
    /**
     * Why the last attempt failed, while failing. Null otherwise.
     */
    last_failure_kind: Open<WebhookAttemptFailure> | null;
    /**
     * The next attempt of a waiting delivery.
     * @maxLength 24
     * @format date-time
     */
    next_attempt_at: string | null;
    /**
     * The oldest missed event of the last 30 days. Use recover to resend from here.
     * @maxLength 24
     * @format date-time
     */
    missed_since: string | null;
    /**
     * The last rotation.
     * @maxLength 24
     * @format date-time
     */
    secret_changed_at: string | null;
    /**
     * The previous secret also signs until this time.
     * @maxLength 24
     * @format date-time
     */
    previous_secret_expires_at: string | null;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
    /**
     * Only if you sent none. Returned once.
     * @maxLength 50
     * @format password
     */
    secret?: string;
    /**
     * Only if the secret is short.
     * @maxLength 200
     */
    warning?: string;
};

/**
 * Null on the last page.
 * @maxLength 2000
 */
export type NextCursor = string | null;

export type NextPeriod = {
    /**
     * The source on the left side. Null: the reconciliation has no lines.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    left_source_id: string;
    /**
     * The source on the right side.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    right_source_id: string;
    /**
     * The left source's name.
     * @maxLength 200
     */
    left_source: string;
    /**
     * The right source's name.
     * @maxLength 200
     */
    right_source: string;
    /**
     * The pair's newest period so far.
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    follows: string;
    /**
     * The period that was created. Null in a dry run.
     * @maxLength 44
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id: string | null;
    /**
     * The period's name.
     * @minLength 1
     * @maxLength 200
     */
    name: string;
    /**
     * The first day of the period.
     * @format date
     */
    period_start: string;
    /**
     * The last day of the period.
     * @format date
     */
    period_end: string;
};

export type NextPeriods = {
    /**
     * The periods that were created, or in a dry run would be.
     * @maxItems 1000
     */
    items: NextPeriod[];
    /**
     * Pairs without a new period, and why.
     * @maxItems 100000
     */
    skipped: SkippedPair[];
    /**
     * Whether nothing was created.
     */
    dry_run: boolean;
};

export type NotFoundProblem = Problem & {
    /**
     * Its status.
     */
    status?: 404;
    /**
     * The code for your program.
     */
    code?: "not_found";
};

export type NotificationSettings = {
    /**
     * Where alerts are mailed. Null if you sign in with another identity provider, whose users have no address here.
     * @maxLength 254
     */
    email: string | null;
    /**
     * Exceptions past their deadline: yours, all, or none.
     */
    exception_breached: Open<AlertScope>;
    /**
     * Exceptions near their deadline.
     */
    exception_at_risk: Open<AlertScope>;
    /**
     * Someone assigned you an exception.
     */
    assigned: boolean;
    /**
     * Someone mentioned you in a comment.
     */
    mentioned: boolean;
    /**
     * A webhook is failing or was disabled. For admins.
     */
    webhook_failing: boolean;
    /**
     * An API key expires within 14, 3 or 1 days. For admins.
     */
    api_key_expiring: boolean;
    /**
     * A source's connection or one of its files fails. For admins.
     */
    connection_failing: boolean;
};

/**
 * OAuth client credentials: deliveries carry a bearer token of that endpoint. The secret is stored encrypted and never returned.
 */
export type OAuthClientInput = {
    /**
     * The token endpoint, under the same rules as the URL.
     * @maxLength 2048
     * @format uri
     */
    token_url: string;
    /**
     * The client's ID at that endpoint.
     * @minLength 1
     * @maxLength 200
     */
    client_id: string;
    /**
     * The requested scope.
     * @minLength 1
     * @maxLength 500
     */
    scope?: string;
    /**
     * If omitted in a change, the stored value stays.
     * @minLength 1
     * @maxLength 1000
     * @format password
     */
    client_secret?: string;
} | null;

export type OpenExceptionStatus = "open" | "in_review";

export type OpenHours = {
    /**
     * The beginning of the period.
     * @format date-time
     */
    since: string;
    /**
     * The end of the period.
     * @format date-time
     */
    until: string;
    /**
     * Open minutes in the period.
     * @minimum 0
     * @format int64
     */
    open_minutes: number;
    /**
     * The open intervals.
     * @maxItems 7360
     */
    spans: {
        /**
         * The beginning.
         * @format date-time
         */
        starts_at: string;
        /**
         * The end.
         * @format date-time
         */
        ends_at: string;
    }[];
};

export type OpenLine = {
    /**
     * Its ID.
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The side of the reconciliation.
     */
    side: Open<LineSide>;
    currency: CurrencyOfAmount;
    /**
     * Negated if the source is inverted.
     * @format int64
     */
    amount_minor: number;
    /**
     * The amount not matched yet, with the sign of the amount.
     * @format int64
     */
    open_minor: number;
    /**
     * The fee deducted from it, with the same sign rule. Null without a fee, and after part of the line is matched.
     * @format int64
     */
    fee_minor: number | null;
    /**
     * The day on which the amount counts.
     * @format date
     */
    value_date: string;
    /**
     * The day on which it was booked.
     * @maxLength 10
     * @format date
     */
    booked_date: string | null;
    /**
     * The payment reference.
     * @maxLength 500
     */
    reference: string | null;
    /**
     * The other party.
     * @maxLength 500
     */
    counterparty: string | null;
    description: FreeText;
    /**
     * Lines with the same key belong together, such as a payout.
     * @maxLength 200
     */
    group_key: string | null;
    /**
     * The source's own ID of the line.
     * @maxLength 200
     */
    external_id: string | null;
    /**
     * The best suggested match with this line.
     */
    suggestion: {
        /**
         * The match.
         * @pattern ^mat_[0-9a-z]{20,40}$
         */
        match_id: string;
        /**
         * How probable it is. Null for a manual match.
         * @minimum 0
         * @maximum 1
         */
        score: number | null;
        /**
         * How many lines of each side it has.
         */
        shape: Open<MatchShape>;
    } | null;
    /**
     * Its open exception.
     * @maxLength 44
     * @pattern ^exc_[0-9a-z]{20,40}$
     */
    exception_id: string | null;
};

export type OpenLinePage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: OpenLine[];
    next_cursor: NextCursor;
};

export type OpenNextPeriodsRequest = {
    /**
     * The month to reach.
     * @minLength 7
     * @pattern ^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$
     */
    through: string;
    /**
     * Only these pairs. By default all.
     * @minItems 1
     * @maxItems 500
     */
    pairs?: {
        /**
         * The source on the left side. Null: the reconciliation has no lines.
         * @pattern ^src_[0-9a-z]{20,40}$
         */
        left_source_id: string;
        /**
         * The source on the right side.
         * @pattern ^src_[0-9a-z]{20,40}$
         */
        right_source_id: string;
    }[];
    /**
     * Only preview what would be created.
     */
    dry_run?: boolean;
    idempotency_key?: RequestIdempotencyKey;
};

/**
 * When it is open each week, in local time. An interval past midnight belongs to the day it starts on.
 * @minItems 1
 * @maxItems 140
 */
export type OpeningHours = {
    /**
     * The day.
     */
    day: Open<Weekday>;
    /**
     * Local time.
     * @pattern ^([01]\d|2[0-3]):[0-5]\d$
     */
    from: string;
    /**
     * Local time. At or before `from`: on the next day.
     * @pattern ^(([01]\d|2[0-3]):[0-5]\d|24:00)$
     */
    to: string;
}[];

/**
 * The reconciliation it came from.
 * @pattern ^rcn_[0-9a-z]{20,40}$
 */
export type OriginReconciliationId = string;

export type OutstandingLine = {
    /**
     * The line.
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    line_id: string;
    /**
     * The side of the reconciliation.
     */
    side: Open<LineSide>;
    /**
     * The day on which the amount counts.
     * @format date
     */
    value_date: string;
    /**
     * At the end of the period.
     * @format int64
     */
    age_days: number;
    currency: CurrencyOfAmount;
    /**
     * Its open amount, in minor units.
     * @format int64
     */
    open_minor: number;
    /**
     * The payment reference.
     * @maxLength 500
     */
    reference: string | null;
    /**
     * The other party.
     * @maxLength 500
     */
    counterparty: string | null;
    description: FreeText;
};

export type Overview = {
    as_of: ResponseTime;
    summary: SlaSummary;
    /**
     * Assigned to you. due: by the last hour of the outlook.
     */
    mine: {
        /**
         * Open exceptions past their deadline.
         * @minimum 0
         * @format int64
         */
        breached_count: number;
        /**
         * Exceptions due in that time.
         * @minimum 0
         * @format int64
         */
        due_count: number;
        /**
         * How many are open.
         * @minimum 0
         * @format int64
         */
        open_count: number;
    };
    /**
     * Exceptions without an assignee.
     * @minimum 0
     * @format int64
     */
    unassigned_count: number;
    /**
     * The 5 that breach next.
     * @maxItems 5
     */
    next: SlaItem[];
    /**
     * Your 5 with the earliest deadlines, breached ones included.
     * @maxItems 5
     */
    my_next: SlaItem[];
    /**
     * Money at risk in open exceptions, by currency. due: by the last hour of the outlook.
     * @maxItems 200
     */
    money: {
        currency: CurrencyOfAmount;
        /**
         * How many are open.
         * @minimum 0
         * @format int64
         */
        open_count: number;
        open_minor: MinorAmount;
        /**
         * Open exceptions past their deadline.
         * @minimum 0
         * @format int64
         */
        breached_count: number;
        breached_minor: MinorAmount;
        /**
         * Exceptions due in that time.
         * @minimum 0
         * @format int64
         */
        due_count: number;
        due_minor: MinorAmount;
    }[];
    /**
     * Upcoming deadlines, and how fast exceptions are closed.
     */
    outlook: {
        /**
         * The start of the hour 8 hours ago.
         * @format date-time
         */
        rate_since: string;
        /**
         * Exceptions resolved or dismissed since then.
         * @minimum 0
         * @format int64
         */
        closed_count: number;
        /**
         * closed_count divided by the time since rate_since.
         * @minimum 0
         */
        closed_per_hour: number;
        /**
         * This hour and the next 8: how many deadlines fall into each, without breached ones.
         * @maxItems 169
         */
        hours: {
            /**
             * Only deadlines before this time.
             * @format date-time
             */
            due_before: string;
            /**
             * Exceptions due in that time.
             * @minimum 0
             * @format int64
             */
            due_count: number;
        }[];
    };
    /**
     * 30 days (UTC): exceptions that breached, and that were resolved or dismissed. Each at most once a day.
     * @maxItems 90
     */
    days: {
        /**
         * The day.
         * @format date
         */
        day: string;
        /**
         * Open exceptions past their deadline.
         * @minimum 0
         * @format int64
         */
        breached_count: number;
        /**
         * How many were closed.
         * @minimum 0
         * @format int64
         */
        closed_count: number;
    }[];
    /**
     * The 8 with the most open exceptions.
     * @maxItems 8
     */
    reconciliations: {
        /**
         * Its ID.
         * @pattern ^rcn_[0-9a-z]{20,40}$
         */
        id: string;
        /**
         * Its name.
         * @maxLength 200
         */
        name: string;
        /**
         * How many are open.
         * @minimum 0
         * @format int64
         */
        open_count: number;
        /**
         * Amounts, by currency.
         * @maxItems 200
         */
        money: {
            currency: CurrencyOfAmount;
            /**
             * How many are open.
             * @minimum 0
             * @format int64
             */
            open_count: number;
            open_minor: MinorAmount;
        }[];
    }[];
    /**
     * The last 5.
     * @maxItems 5
     */
    imports: {
        /**
         * Its ID.
         * @pattern ^imp_[0-9a-z]{20,40}$
         */
        id: string;
        /**
         * The source.
         * @pattern ^src_[0-9a-z]{20,40}$
         */
        source_id: string;
        /**
         * The source's name.
         * @maxLength 200
         */
        source_name: string;
        /**
         * The file's name.
         * @maxLength 255
         */
        file_name: string | null;
        /**
         * Its status.
         */
        status: Open<ImportStatus>;
        /**
         * How many were accepted.
         * @minimum 0
         * @format int64
         */
        accepted_count: number;
        /**
         * How many were refused.
         * @minimum 0
         * @format int64
         */
        refused_count: number;
        created_at: CreationTime;
    }[];
    /**
     * The last 5, without dry runs.
     * @maxItems 5
     */
    runs: {
        /**
         * Its ID.
         * @pattern ^run_[0-9a-z]{20,40}$
         */
        id: string;
        reconciliation_id: OriginReconciliationId;
        /**
         * The reconciliation's name.
         * @maxLength 200
         */
        reconciliation_name: string;
        /**
         * Its status.
         */
        status: Open<RunStatus>;
        /**
         * Matches it suggests.
         * @minimum 0
         * @format int64
         */
        suggested_count: number;
        /**
         * How many are open.
         * @minimum 0
         * @format int64
         */
        open_count: number;
        /**
         * Exceptions it created.
         * @minimum 0
         * @format int64
         */
        exceptions_opened: number;
        created_at: CreationTime;
    }[];
    /**
     * Null unless you can read API keys.
     */
    keys: {
        /**
         * The start of the first of 7 days (UTC).
         * @format date-time
         */
        since: string;
        /**
         * The 5 keys with the most calls since then.
         * @maxItems 5
         */
        calls: {
            /**
             * Its ID.
             * @pattern ^key_[0-9a-z]{20,40}$
             */
            id: string;
            /**
             * Its name.
             * @maxLength 200
             */
            name: string;
            /**
             * How many calls there were.
             * @minimum 0
             * @format int64
             */
            call_count: number;
            /**
             * How many were refused.
             * @minimum 0
             * @format int64
             */
            refused_count: number;
        }[];
        /**
         * The first 5 keys that expire within 14 days.
         * @maxItems 5
         */
        expiring: {
            /**
             * Its ID.
             * @pattern ^key_[0-9a-z]{20,40}$
             */
            id: string;
            /**
             * Its name.
             * @maxLength 200
             */
            name: string;
            /**
             * When it stops working. Null: never.
             * @format date-time
             */
            expires_at: string;
        }[];
    } | null;
    /**
     * Null unless you can read webhooks.
     */
    webhooks: {
        /**
         * How many are active.
         * @minimum 0
         * @format int64
         */
        active_count: number;
        /**
         * How many are disabled.
         * @minimum 0
         * @format int64
         */
        disabled_count: number;
        /**
         * The first 5, failing ones first. Attempts of the last 24 hours.
         * @maxItems 1000
         */
        items: {
            /**
             * Its ID.
             * @pattern ^whk_[0-9a-z]{20,40}$
             */
            id: string;
            /**
             * Where events are sent.
             * @maxLength 2048
             */
            url: string;
            /**
             * Its status.
             */
            status: Open<WebhookStatus>;
            /**
             * Every attempt since this time has failed.
             * @maxLength 24
             * @format date-time
             */
            failing_since: string | null;
            /**
             * Number of attempts so far.
             * @minimum 0
             * @format int64
             */
            attempt_count: number;
            /**
             * How many failed.
             * @minimum 0
             * @format int64
             */
            failure_count: number;
        }[];
    } | null;
};

export type PauseExceptionRequest = {
    /**
     * The reason given.
     * @minLength 1
     * @maxLength 500
     */
    reason: string;
    /**
     * When it resumes by itself.
     * @maxLength 64
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    until?: string | null;
    idempotency_key?: RequestIdempotencyKey;
};

/**
 * When clocks pause, and for how long. If omitted, it stays unchanged.
 */
export type PausePolicy = {
    /**
     * The maximum length of a pause in wall-clock minutes, after which it ends. Null: no limit.
     * @minimum 1
     * @maximum 525600
     */
    max_minutes: number | null;
    /**
     * How often an exception may be paused. Null: no limit.
     * @minimum 0
     * @maximum 1000
     */
    max_count: number | null;
    /**
     * A change to this status and reason code pauses an exception; a change away resumes it. Null: any.
     * @maxItems 20
     */
    rules: {
        /**
         * Its status.
         */
        status: "in_review" | null;
        /**
         * Your own code for the cause.
         * @minLength 1
         * @maxLength 64
         */
        reason_code: string | null;
    }[];
};

/**
 * When clocks pause, and for how long. If omitted, it stays unchanged.
 */
export type PausePolicyInput = {
    /**
     * The maximum length of a pause in wall-clock minutes, after which it ends. Null: no limit.
     * @minimum 1
     * @maximum 525600
     */
    max_minutes: number | null;
    /**
     * How often an exception may be paused. Null: no limit.
     * @minimum 0
     * @maximum 1000
     */
    max_count: number | null;
    /**
     * A change to this status and reason code pauses an exception; a change away resumes it. Null: any.
     * @maxItems 20
     */
    rules: {
        /**
         * Its status.
         */
        status?: "in_review" | null;
        /**
         * Your own code for the cause.
         * @minLength 1
         * @maxLength 64
         */
        reason_code?: string | null;
    }[];
};

export type PayloadTooLargeProblem = Problem & {
    /**
     * Its status.
     */
    status?: 413;
    /**
     * The code for your program.
     */
    code?: "payload_too_large";
};

export type PeriodCheck = {
    /**
     * The check.
     */
    check: Open<"period_over" | "files" | "balances" | "suggestions" | "exceptions" | "difference" | "evidence" | "second_person" | "signatures">;
    /**
     * Its result.
     */
    outcome: Open<"pass" | "warn" | "block">;
    /**
     * How many items are in the way: suggestions, exceptions, days, currencies or matches.
     * @minimum 0
     * @format int64
     */
    count: number | null;
    /**
     * The explanation.
     * @maxLength 1000
     */
    detail: string;
};

export type PeriodChecklist = {
    /**
     * The items.
     * @maxItems 9
     */
    items: PeriodCheck[];
    /**
     * The left source, then the right one.
     * @maxItems 2
     */
    sources: SourceCoverage[];
    sign_off: SignOff;
};

export type PeriodProof = {
    items: AmountsBySide;
    /**
     * False while the reconciliation is preparing.
     */
    holds: boolean;
    /**
     * Null for an open period.
     */
    closing: {
        /**
         * SHA-256 over the statement, matches, exclusions and carried lines, stored at the close and in the audit log. Null for periods that closed before there was one.
         * @maxLength 64
         * @pattern ^[0-9a-f]{64}$
         */
        digest: string | null;
        /**
         * Whether it is still the same. Null without a digest.
         */
        holds: boolean | null;
    } | null;
    /**
     * Unconfirmed suggestions. A close moves them to the next period.
     * @minimum 0
     * @format int64
     */
    suggestions_count: number;
    /**
     * Open exceptions of lines past their grace. A close moves them with their lines.
     * @minimum 0
     * @format int64
     */
    open_exceptions: number;
    /**
     * Days until the period is over in its sources' time zones; 0 once it is.
     * @minimum 0
     * @format int64
     */
    days_until_over: number;
};

export type PeriodSignature = {
    /**
     * Its kind.
     */
    kind: Open<"prepared" | "reviewed">;
    /**
     * 0 for the preparer, then the level of review.
     * @minimum 0
     * @maximum 3
     */
    level: number;
    /**
     * Who signed.
     * @maxLength 125
     */
    signed_by: string;
    /**
     * The issuer of the signer's token.
     * @maxLength 255
     */
    issuer: string;
    /**
     * Its subject.
     * @maxLength 255
     */
    subject: string;
    /**
     * When it was signed.
     * @format date-time
     */
    signed_at: string;
    /**
     * SHA-256 over the signed statement, matches and exclusions.
     * @pattern ^[0-9a-f]{64}$
     */
    digest: string;
    /**
     * A note.
     * @maxLength 1000
     */
    note: string | null;
};

export type PreconditionFailedProblem = Problem & {
    /**
     * Its status.
     */
    status?: 412;
    /**
     * The code for your program.
     */
    code?: "precondition_failed";
};

export type PrepareReconciliationRequest = {
    /**
     * Kept with the signature.
     * @minLength 1
     * @maxLength 1000
     */
    note?: string;
    idempotency_key?: RequestIdempotencyKey;
};

export type PreviewEntriesRequest = {
    rules?: EntryRulesInput;
    idempotency_key?: RequestIdempotencyKey;
};

export type PreviewWebhookFiltersRequest = {
    /**
     * The event types it subscribes to.
     * @minItems 1
     * @maxItems 23
     */
    events: EventKind[];
    /**
     * Only events that pass all of these filters. A filter ignores events without the field it checks. Empty: all events.
     */
    filters?: WebhookFilters;
    idempotency_key?: RequestIdempotencyKey;
};

/**
 * An error (RFC 9457).
 */
export type Problem = {
    /**
     * The error's page in the catalogue.
     * @maxLength 2048
     * @format uri
     */
    type: string;
    /**
     * A one-line summary.
     * @maxLength 200
     */
    title: string;
    /**
     * Its status.
     * @minimum 400
     * @maximum 599
     */
    status: number;
    /**
     * Explains this response to a person.
     * @maxLength 1000
     */
    detail: string;
    /**
     * The error code for your program.
     */
    code: Open<ErrorCode>;
    /**
     * The X-Request-Id of the request.
     * @maxLength 64
     */
    request_id: string;
    /**
     * With the code conflict: the reason, for your program.
     */
    reason?: Open<ConflictReason>;
    /**
     * With the code conflict: whether it resolves by itself. If so, repeat the call after Retry-After.
     */
    retryable?: boolean;
    /**
     * With status 400: each invalid field, as a dotted path.
     * @maxItems 1000
     */
    errors?: {
        /**
         * The path.
         * @maxLength 16384
         */
        path: string;
        /**
         * The explanation.
         * @maxLength 2000
         */
        message: string;
    }[];
};

export type Proof = {
    items: AmountsBySide;
    /**
     * False while the reconciliation is preparing.
     */
    holds: boolean;
};

export type PutCalendarRequest = {
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name: string;
    /**
     * The time zone of its local times.
     * @minLength 1
     * @maxLength 64
     */
    time_zone: string;
    /**
     * When it is open each week, in local time. An interval past midnight belongs to the day it starts on.
     * @minItems 1
     * @maxItems 140
     */
    weekly: {
        /**
         * The day.
         */
        day: Weekday;
        /**
         * Local time.
         * @pattern ^([01]\d|2[0-3]):[0-5]\d$
         */
        from: string;
        /**
         * Local time. At or before `from`: on the next day.
         * @pattern ^(([01]\d|2[0-3]):[0-5]\d|24:00)$
         */
        to: string;
    }[];
    /**
     * Days with special hours, which replace the hours that start on that weekday.
     * @maxItems 1000
     */
    special_days?: SpecialDayInput[];
    /**
     * Whether it applies only to new exceptions or also to open ones.
     */
    apply_to?: "new" | "open";
    /**
     * If true, nothing was changed.
     */
    dry_run?: boolean;
};

export type PutEntryRulesRequest = {
    rules: EntryRulesInput;
    ledger?: LedgerSettingsInput;
};

export type PutFirstStepsRequest = {
    /**
     * Whether the checklist is hidden.
     */
    dismissed: boolean;
};

export type PutNotificationSettingsRequest = {
    /**
     * Exceptions past their deadline: yours, all, or none.
     */
    exception_breached: AlertScope;
    /**
     * Exceptions near their deadline.
     */
    exception_at_risk: AlertScope;
    /**
     * Someone assigned you an exception.
     */
    assigned: boolean;
    /**
     * Someone mentioned you in a comment.
     */
    mentioned: boolean;
    /**
     * A webhook is failing or was disabled. For admins.
     */
    webhook_failing: boolean;
    /**
     * An API key expires within 14, 3 or 1 days. For admins.
     */
    api_key_expiring: boolean;
    /**
     * A source's connection or one of its files fails. For admins.
     */
    connection_failing: boolean;
};

export type PutRulesRequest = {
    /**
     * @minItems 1
     * @maxItems 20
     */
    rules: MatchingRule[];
    /**
     * Whether score rules and searches for sums match automatically: never, always, or once people's decisions have shown them to be right (earned).
     */
    automatic?: AutomaticMatching;
    /**
     * deduct: a line matches with its amount less its fee, and the match has the fee as an adjustment. ignore: it matches with its full amount, as gross orders do.
     */
    fees?: FeeHandling;
    /**
     * Someone who made manual matches or write-offs, excluded or undid in a period can't close it. Only a tenant_admin can turn this off, for periods opened from then on.
     */
    four_eyes?: boolean;
    review_levels?: ReviewLevels;
    /**
     * How many business days after its end a period is due to be closed, by calendar_id.
     * @minimum 0
     * @maximum 60
     */
    close_days?: number;
    checks?: CheckPolicyInput;
    /**
     * A manual match with an adjustment of this amount or more needs evidence, on the match or one of its lines. Null: none does.
     * @minimum 0
     * @format int64
     */
    evidence_from_minor?: number | null;
    calendar_id?: CalendarId;
    /**
     * Exceptions that would be created.
     */
    exceptions?: LineExceptionPolicy;
    /**
     * If true, discards what was learned from decisions.
     */
    reset_learning?: boolean;
    /**
     * Pairs in learnt.names that are wrong.
     * @maxItems 500
     */
    forget_names?: {
        /**
         * The name on the left side.
         * @minLength 1
         * @maxLength 100
         */
        left: string;
        /**
         * The name on the right side, without words that contain digits.
         * @minLength 1
         * @maxLength 100
         */
        right: string;
    }[];
    /**
     * If true, nothing was changed.
     */
    dry_run?: boolean;
};

export type PutSlaPolicyRequest = {
    /**
     * Time from creation to due_at, if no due_at is sent.
     */
    minutes_to_resolve: {
        /**
         * For critical exceptions.
         * @minimum 1
         * @maximum 525600
         */
        critical: number;
        /**
         * For high exceptions.
         * @minimum 1
         * @maximum 525600
         */
        high: number;
        /**
         * For medium exceptions.
         * @minimum 1
         * @maximum 525600
         */
        medium: number;
        /**
         * For low exceptions.
         * @minimum 1
         * @maximum 525600
         */
        low: number;
    };
    /**
     * Minutes before due_at at which exception.sla.at_risk is sent. May be empty.
     * @minItems 0
     * @maxItems 10
     */
    at_risk_thresholds: number[];
    /**
     * The same in open minutes of the exception's calendar. Round the clock, every minute is open. If omitted, it stays unchanged.
     * @maxItems 10
     */
    at_risk_business_thresholds?: number[];
    /**
     * The calendar whose open minutes minutes_to_resolve counts. Null: round the clock. If omitted, it stays unchanged.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    calendar_id?: string | null;
    /**
     * Severities with a calendar other than calendar_id, or null for none. If omitted, it stays unchanged.
     */
    calendar_by_severity?: {
        /**
         * For critical exceptions.
         * @maxLength 44
         * @pattern ^cal_[0-9a-z]{20,40}$
         */
        critical?: string | null;
        /**
         * For high exceptions.
         * @maxLength 44
         * @pattern ^cal_[0-9a-z]{20,40}$
         */
        high?: string | null;
        /**
         * For medium exceptions.
         * @maxLength 44
         * @pattern ^cal_[0-9a-z]{20,40}$
         */
        medium?: string | null;
        /**
         * For low exceptions.
         * @maxLength 44
         * @pattern ^cal_[0-9a-z]{20,40}$
         */
        low?: string | null;
    };
    pause?: PausePolicyInput;
    /**
     * If true, nothing was changed.
     */
    dry_run?: boolean;
};

export type RateLimitedProblem = Problem & {
    /**
     * Its status.
     */
    status?: 429;
    /**
     * The code for your program.
     */
    code?: "rate_limited";
};

export type ReadIcsRequest = {
    /**
     * The text of the file.
     * @minLength 1
     * @maxLength 500000
     */
    ics: string;
    idempotency_key?: RequestIdempotencyKey;
};

export type Reconciliation = {
    /**
     * Its ID.
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name: string;
    /**
     * Its status.
     */
    status: Open<ReconciliationStatus>;
    /**
     * The first day of the period.
     * @format date
     */
    period_start: string;
    /**
     * The last day of the period.
     * @format date
     */
    period_end: string;
    /**
     * One of the two sides compared.
     * @minLength 1
     * @maxLength 200
     */
    left_source: string;
    /**
     * The other side.
     * @minLength 1
     * @maxLength 200
     */
    right_source: string;
    /**
     * Items with a counterpart.
     * @minimum 0
     * @format int64
     */
    matched_count: number;
    /**
     * Items without a counterpart.
     * @minimum 0
     * @format int64
     */
    unmatched_count: number;
    /**
     * With it, counts are computed from the lines of both sources.
     * @maxLength 44
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    left_source_id: string | null;
    /**
     * The source on the right side.
     * @maxLength 44
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    right_source_id: string | null;
    /**
     * Whether new lines start a run.
     */
    auto_run: boolean;
    /**
     * Whether existing lines of its sources are still being added. Until then, runs wait, its proof doesn't hold, and deciding, matching manually, excluding and closing return a conflict.
     */
    preparing: boolean;
    /**
     * Whether it is being closed, which takes up to half a minute per million lines. Until then, changing it, undoing imports of its sources and reopening an earlier period return a conflict.
     */
    closing: boolean;
    /**
     * Why it could not be closed, if that was found after the response to the close. It is still open.
     * @maxLength 1000
     */
    closing_failure: string | null;
    /**
     * Lines that were excluded in it, in full or in part.
     * @minimum 0
     * @format int64
     */
    excluded_count: number;
    /**
     * Its open and in-review exceptions, counted now.
     * @minimum 0
     * @format int64
     */
    open_exceptions: number;
    /**
     * When it was resolved or dismissed.
     * @maxLength 24
     * @format date-time
     */
    closed_at: string | null;
    /**
     * Who closed it.
     * @maxLength 125
     */
    closed_by: string | null;
    /**
     * Who prepared and reviewed it. Null without sources.
     */
    sign_off: SignOff | null;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
};

export type ReconciliationClosedEvent = {
    /**
     * Its type.
     */
    type: "reconciliation.closed";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        reconciliation: Reconciliation;
    };
};

export type ReconciliationPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Reconciliation[];
    next_cursor: NextCursor;
};

export type ReconciliationPreparedEvent = {
    /**
     * Its type.
     */
    type: "reconciliation.prepared";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        reconciliation: Reconciliation;
    };
};

export type ReconciliationReopenedEvent = {
    /**
     * Its type.
     */
    type: "reconciliation.reopened";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        reconciliation: Reconciliation;
        /**
         * The reason given.
         * @maxLength 1000
         */
        reason: string;
    };
};

export type ReconciliationReviewedEvent = {
    /**
     * Its type.
     */
    type: "reconciliation.reviewed";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        reconciliation: Reconciliation;
    };
};

export type ReconciliationStatement = {
    reconciliation_id: OriginReconciliationId;
    /**
     * Its name.
     * @maxLength 200
     */
    name: string;
    /**
     * The first day of the period.
     * @format date
     */
    period_start: string;
    /**
     * The last day of the period.
     * @format date
     */
    period_end: string;
    /**
     * One of the two sides compared.
     * @maxLength 200
     */
    left_source: string;
    /**
     * The other side.
     * @maxLength 200
     */
    right_source: string;
    left_kind?: Open<SourceKind>;
    right_kind?: Open<SourceKind>;
    as_of: ResponseTime;
    /**
     * When it was resolved or dismissed.
     * @maxLength 24
     * @format date-time
     */
    closed_at: string | null;
    /**
     * Who closed it.
     * @maxLength 125
     */
    closed_by: string | null;
    /**
     * Balances by side and currency.
     * @maxItems 400
     */
    balances: {
        currency: CurrencyOfAmount;
        /**
         * The side of the reconciliation.
         */
        side: Open<LineSide>;
        /**
         * All lines before the period.
         */
        opening_minor: number | string;
        /**
         * Lines of the period.
         */
        lines_minor: number | string;
        /**
         * How many lines there are.
         * @minimum 0
         * @format int64
         */
        line_count: number;
        closing_minor: MinorAmount;
        /**
         * The open amount at its end.
         */
        outstanding_minor: number | string;
        excluded_minor: MinorAmount;
        /**
         * The source's balance at the start of the period: from a file or recorded, carried forward by the lines booked since. Null if there is none.
         */
        stated_opening_minor?: (number | string) | null;
        /**
         * The same for the end of the period.
         */
        stated_closing_minor?: (number | string) | null;
        /**
         * The day of the balance it is computed from.
         * @maxLength 10
         * @format date
         */
        stated_on?: string | null;
        /**
         * Booked by the end of the period with a later value date, less those value-dated by then and booked later.
         */
        timing_minor?: (number | string) | null;
        /**
         * How much the balance changes beyond the lines booked in the period, for example because lines are missing.
         */
        unaccounted_minor?: (number | string) | null;
    }[];
    /**
     * Differences between the sides, by currency.
     * @maxItems 200
     */
    differences: {
        currency: CurrencyOfAmount;
        adjustments_minor: MinorAmount;
        residual_minor: MinorAmount;
        /**
         * The unexplained difference. 0 in a statement that can be signed.
         */
        difference_minor: number | string;
        /**
         * The unexplained difference of the two balances, including their difference before the first line. Null without one of them.
         */
        unexplained_minor?: (number | string) | null;
    }[];
    /**
     * Open lines by age.
     * @maxItems 2000
     */
    aging: {
        currency: CurrencyOfAmount;
        /**
         * The side of the reconciliation.
         */
        side: Open<LineSide>;
        /**
         * 0, 8, 31, 61 or 91.
         * @format int64
         */
        days_from: number;
        /**
         * How many lines there are.
         * @minimum 0
         * @format int64
         */
        line_count: number;
        open_minor: MinorAmount;
        /**
         * Lines above zero.
         * @minimum 0
         * @format int64
         */
        receipt_count?: number;
        /**
         * Their sum: in a ledger, deposits in transit.
         */
        receipt_minor?: number | string;
        /**
         * Lines below zero.
         * @minimum 0
         * @format int64
         */
        payment_count?: number;
        /**
         * Their sum: in a ledger, outstanding payments.
         */
        payment_minor?: number | string;
    }[];
    /**
     * How many lines are open.
     * @minimum 0
     * @format int64
     */
    outstanding_count: number;
    /**
     * The largest amounts, at most 250. The export has all.
     * @maxItems 250
     */
    outstanding: OutstandingLine[];
    /**
     * Absent from statements that closed before items were listed.
     * @minimum 0
     * @format int64
     */
    adjustment_count?: number;
    /**
     * The first 1,000 in this period. The export has all.
     * @maxItems 1000
     */
    adjustments: {
        /**
         * The match.
         * @pattern ^mat_[0-9a-z]{20,40}$
         */
        match_id: string;
        currency: CurrencyOfAmount;
        /**
         * Its kind.
         */
        kind: Open<AdjustmentKind>;
        /**
         * The part of left − right that it explains.
         * @format int64
         */
        amount_minor: number;
        /**
         * A note.
         * @maxLength 1000
         */
        note: string | null;
        /**
         * Who decided it.
         * @maxLength 125
         */
        decided_by: string | null;
        /**
         * When it was decided.
         * @format date-time
         */
        decided_at?: string;
    }[];
    /**
     * Absent from statements that closed before items were listed.
     * @minimum 0
     * @format int64
     */
    residual_count?: number;
    /**
     * The first 1,000 in this period. The export has all.
     * @maxItems 1000
     */
    residuals?: StatementResidual[];
    /**
     * Absent from statements that closed before items were listed.
     * @minimum 0
     * @format int64
     */
    exclusion_count?: number;
    /**
     * The first 1,000 in this period. The export has all.
     * @maxItems 1000
     */
    exclusions?: StatementExclusion[];
    evidence?: StatementEvidence;
    entries?: StatementEntries;
    proof: Proof;
};

export type ReconciliationStatus = "open" | "in_progress" | "completed" | "archived";

export type RecoverWebhookRequest = {
    /**
     * The beginning of the period.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since: string;
    /**
     * Only count, send nothing.
     */
    dry_run?: boolean;
    idempotency_key?: RequestIdempotencyKey;
};

/**
 * What changed, for your users.
 */
export type ReleaseNote = {
    /**
     * A one-line summary.
     * @minLength 1
     * @maxLength 200
     */
    title?: string | null;
    /**
     * The version it describes.
     * @minLength 1
     * @maxLength 64
     */
    version?: string | null;
    /**
     * Markdown.
     * @maxLength 50000
     */
    body?: string | null;
    /**
     * Whether anyone can read it with the publishable key.
     */
    published?: boolean | null;
    /**
     * The publication time shown to readers.
     * @maxLength 64
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    published_at?: string | null;
    /**
     * Your own keyword for filtering lists.
     * @maxLength 200
     */
    operation?: string | null;
    /**
     * Your own number, 1 to 250.
     * @minimum 1
     * @maximum 250
     */
    limit?: number | null;
    /**
     * Its ID.
     * @pattern ^rec_[0-9a-z]{20,40}$
     */
    id: string;
    created_at: CreationTime;
    /**
     * Null with the publishable key.
     * @maxLength 125
     */
    created_by: string | null;
    updated_at: ChangeTime;
    /**
     * True once deleted.
     */
    soft_delete: boolean;
    /**
     * When it was deleted.
     * @maxLength 24
     * @format date-time
     */
    deleted_at: string | null;
    /**
     * When a deleted record is permanently deleted: 30 days after deletion.
     * @maxLength 24
     * @format date-time
     */
    purge_at: string | null;
    [name: string]: unknown;
};

export type ReleaseNotePage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: ReleaseNote[];
    next_cursor: NextCursor;
};

export type RemoveEvidenceRequest = {
    /**
     * The reason given.
     * @minLength 1
     * @maxLength 500
     */
    reason: string;
};

export type RemoveTenantMemberRequest = {
    /**
     * The reason given.
     * @maxLength 500
     */
    reason?: string | null;
    /**
     * Who gets their open exceptions. Null: unassigned. If omitted, they stay assigned.
     * @maxLength 125
     * @pattern ^user:[^\s]{1,120}$
     */
    hand_over_to?: string | null;
    idempotency_key?: RequestIdempotencyKey;
};

export type RemoveTenantMemberResult = {
    /**
     * The account's ID in Supabase Auth.
     * @pattern ^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$
     * @format uuid
     */
    id: string;
    /**
     * The local part of the email address.
     * @maxLength 200
     */
    name: string;
    /**
     * The value for assigned_to.
     * @pattern ^user:[^\s]{1,120}$
     */
    user: string;
    /**
     * Their email address.
     * @maxLength 254
     */
    email: string | null;
    /**
     * Their roles in the tenant.
     * @maxItems 16
     */
    roles: Open<Role>[];
    /**
     * suspended: banned in Supabase Auth; can't sign in.
     */
    status: Open<TenantMemberStatus>;
    /**
     * When it was created.
     * @maxLength 24
     * @format date-time
     */
    created_at: string | null;
    /**
     * Last sign-in with a password.
     * @maxLength 24
     * @format date-time
     */
    last_sign_in_at: string | null;
    /**
     * Exceptions assigned to them, counted up to 1,000.
     * @minimum 0
     * @maximum 1000
     */
    open_exceptions: number;
    /**
     * How many open exceptions changed hands.
     * @minimum 0
     * @format int64
     */
    handed_over: number;
};

export type ReopenReconciliationRequest = {
    /**
     * The reason given.
     * @minLength 1
     * @maxLength 1000
     */
    reason: string;
    idempotency_key?: RequestIdempotencyKey;
};

/**
 * The idempotency key, unless sent in the Idempotency-Key header.
 * @minLength 1
 * @maxLength 255
 */
export type RequestIdempotencyKey = string;

export type RequestStats = {
    as_of: ResponseTime;
    /**
     * The beginning of the period.
     * @format date-time
     */
    since: string;
    /**
     * The end of the period.
     * @format date-time
     */
    until: string;
    /**
     * The length of each step.
     * @minimum 60
     * @format int64
     */
    step_seconds: number;
    /**
     * Steps without calls are omitted.
     * @maxItems 150
     */
    steps: {
        /**
         * The beginning of the interval.
         * @format date-time
         */
        start: string;
        /**
         * Calls.
         * @minimum 0
         * @format int64
         */
        calls: number;
        /**
         * 4xx
         * @minimum 0
         * @format int64
         */
        client_errors: number;
        /**
         * 5xx
         * @minimum 0
         * @format int64
         */
        server_errors: number;
        /**
         * Median response time.
         * @minimum 0
         * @format int64
         */
        p50_ms: number;
        /**
         * 99th percentile of response times.
         * @minimum 0
         * @format int64
         */
        p99_ms: number;
    }[];
};

export type ResetSandboxRequest = {
    /**
     * If true, then loads a sample month.
     */
    sample?: boolean;
    idempotency_key?: RequestIdempotencyKey;
};

/**
 * The time from which remaining times are counted.
 * @format date-time
 */
export type ResponseTime = string;

export type ReturnReconciliationRequest = {
    /**
     * The reason given.
     * @minLength 1
     * @maxLength 1000
     */
    reason: string;
    idempotency_key?: RequestIdempotencyKey;
};

/**
 * How many other people review a prepared period before it closes. 0: it closes without being prepared. Only a tenant_admin can lower it, for periods opened from then on.
 * @minimum 0
 * @maximum 3
 */
export type ReviewLevels = number;

export type ReviewReconciliationRequest = {
    /**
     * Kept with the signature.
     * @minLength 1
     * @maxLength 1000
     */
    note?: string;
    idempotency_key?: RequestIdempotencyKey;
};

export type RevokeApiKeyRequest = {
    /**
     * The reason given.
     * @maxLength 500
     */
    reason?: string | null;
    /**
     * Also disables the webhooks that the key registered, as its impact lists them.
     */
    disable_webhooks?: boolean;
    idempotency_key?: RequestIdempotencyKey;
};

export type Role = "tenant_admin" | "tenant_analyst" | "tenant_lead" | "tenant_auditor";

export type RoleRequiredOrBrowserForbiddenProblem = Problem & {
    /**
     * Its status.
     */
    status?: 403;
    /**
     * The code for your program.
     */
    code?: Open<"tenant_forbidden" | "role_required" | "browser_forbidden">;
};

export type RoleRequiredOrIpNotAllowedOrBrowserForbiddenProblem = Problem & {
    /**
     * Its status.
     */
    status?: 403;
    /**
     * The code for your program.
     */
    code?: Open<"tenant_forbidden" | "role_required" | "ip_not_allowed" | "browser_forbidden">;
};

export type RoleRequiredProblem = Problem & {
    /**
     * Its status.
     */
    status?: 403;
    /**
     * The code for your program.
     */
    code?: Open<"tenant_forbidden" | "role_required">;
};

export type RotateApiKeyRequest = {
    /**
     * In seconds. 0 ends the old key immediately.
     * @minimum 0
     * @maximum 604800
     */
    grace_period_seconds?: number;
    idempotency_key?: RequestIdempotencyKey;
};

export type RotateWebhookSecretRequest = {
    /**
     * The signing secret: 8 to 256 characters; after `whsec_`, base64. Under 24 bytes the response has a warning. Leave it out to have one created and returned in this response only.
     * @minLength 8
     * @maxLength 256
     * @format password
     */
    secret?: string;
    /**
     * In seconds. 0 ends the previous secret immediately.
     * @minimum 0
     * @maximum 604800
     */
    grace_period_seconds?: number;
    idempotency_key?: RequestIdempotencyKey;
};

export type RuleSet = {
    /**
     * @maxItems 20
     */
    rules: MatchingRule[];
    /**
     * 0: the defaults.
     * @format int64
     */
    version: number;
    /**
     * Whether score rules and searches for sums match automatically: never, always, or once people's decisions have shown them to be right (earned).
     */
    automatic: Open<AutomaticMatching>;
    /**
     * deduct: a line matches with its amount less its fee, and the match has the fee as an adjustment. ignore: it matches with its full amount, as gross orders do.
     */
    fees: Open<FeeHandling>;
    /**
     * Someone who made manual matches or write-offs, excluded or undid in a period can't close it. Only a tenant_admin can turn this off, for periods opened from then on.
     */
    four_eyes: boolean;
    review_levels: ReviewLevels;
    /**
     * How many business days after its end a period is due to be closed, by calendar_id.
     * @minimum 0
     * @maximum 60
     */
    close_days: number;
    checks: CheckPolicy;
    /**
     * A manual match with an adjustment of this amount or more needs evidence, on the match or one of its lines. Null: none does.
     * @minimum 0
     * @format int64
     */
    evidence_from_minor: number | null;
    calendar_id: CalendarId;
    /**
     * Exceptions that would be created.
     */
    exceptions: LineExceptionPolicy;
    learnt: LearntWeights;
    /**
     * When it was last changed.
     * @maxLength 24
     * @format date-time
     */
    updated_at: string | null;
    /**
     * Who last changed it.
     * @maxLength 125
     */
    updated_by: string | null;
};

export type RuleSetChange = {
    /**
     * @maxItems 20
     */
    rules: MatchingRule[];
    /**
     * 0: the defaults.
     * @format int64
     */
    version: number;
    /**
     * Whether score rules and searches for sums match automatically: never, always, or once people's decisions have shown them to be right (earned).
     */
    automatic: Open<AutomaticMatching>;
    /**
     * deduct: a line matches with its amount less its fee, and the match has the fee as an adjustment. ignore: it matches with its full amount, as gross orders do.
     */
    fees: Open<FeeHandling>;
    /**
     * Someone who made manual matches or write-offs, excluded or undid in a period can't close it. Only a tenant_admin can turn this off, for periods opened from then on.
     */
    four_eyes: boolean;
    review_levels: ReviewLevels;
    /**
     * How many business days after its end a period is due to be closed, by calendar_id.
     * @minimum 0
     * @maximum 60
     */
    close_days: number;
    checks: CheckPolicy;
    /**
     * A manual match with an adjustment of this amount or more needs evidence, on the match or one of its lines. Null: none does.
     * @minimum 0
     * @format int64
     */
    evidence_from_minor: number | null;
    calendar_id: CalendarId;
    /**
     * Exceptions that would be created.
     */
    exceptions: LineExceptionPolicy;
    learnt: LearntWeights;
    /**
     * When it was last changed.
     * @maxLength 24
     * @format date-time
     */
    updated_at: string | null;
    /**
     * Who last changed it.
     * @maxLength 125
     */
    updated_by: string | null;
    /**
     * If true, nothing was changed.
     */
    dry_run: boolean;
    /**
     * For a dry run: the run whose impact shows what would change.
     * @maxLength 44
     * @pattern ^run_[0-9a-z]{20,40}$
     */
    run_id: string | null;
};

export type Run = {
    /**
     * Its ID.
     * @pattern ^run_[0-9a-z]{20,40}$
     */
    id: string;
    reconciliation_id: OriginReconciliationId;
    /**
     * Its status.
     */
    status: Open<RunStatus>;
    /**
     * If true, nothing was changed.
     */
    dry_run: boolean;
    /**
     * The current step, or the name of the rule that is being applied.
     * @maxLength 200
     */
    stage: string | null;
    /**
     * Lines compared so far.
     * @minimum 0
     * @format int64
     */
    lines_done: number;
    /**
     * Lines that it considers.
     * @minimum 0
     * @format int64
     */
    lines_total: number;
    /**
     * Where the period's lines are: matched by each rule in order, then by people, then excluded. As the run left them, or as the period closed. For a dry run: what its rules would match.
     * @maxItems 100
     */
    waterfall: {
        /**
         * people: matched or confirmed by people. excluded: excluded by people.
         */
        kind: Open<StepKind>;
        /**
         * The rule's name; for the other kinds manual and excluded.
         * @maxLength 200
         */
        rule: string;
        /**
         * The number of matches.
         * @minimum 0
         * @format int64
         */
        matches: number;
        /**
         * The number of suggestions.
         * @minimum 0
         * @format int64
         */
        suggested: number;
        /**
         * Fully matched lines, at the first step that matched part of them. With the open lines, they are all lines of the period.
         * @minimum 0
         * @format int64
         */
        left_lines: number;
        /**
         * Lines of the right side.
         * @minimum 0
         * @format int64
         */
        right_lines: number;
        /**
         * The amounts, by currency.
         * @maxItems 200
         */
        amounts: {
            currency: CurrencyOfAmount;
            left_minor: MinorAmount;
            right_minor: MinorAmount;
        }[];
    }[];
    /**
     * Matches that the run created, found again and removed.
     */
    changed: {
        /**
         * New matches.
         * @minimum 0
         * @format int64
         */
        added: number;
        /**
         * Matches that stay.
         * @minimum 0
         * @format int64
         */
        kept: number;
        /**
         * Matches that others replace.
         * @minimum 0
         * @format int64
         */
        replaced: number;
        /**
         * Matches that were undone.
         * @minimum 0
         * @format int64
         */
        undone: number;
        /**
         * Matches that were left out.
         * @minimum 0
         * @format int64
         */
        left_out: number;
    } | null;
    /**
     * For a finished dry run: what it would change.
     */
    impact: RunImpact | null;
    /**
     * Matches it suggests.
     * @minimum 0
     * @format int64
     */
    suggested_count: number;
    /**
     * Open lines of both sides.
     * @minimum 0
     * @format int64
     */
    open_count: number;
    /**
     * Exceptions it created.
     * @minimum 0
     * @format int64
     */
    exceptions_opened: number;
    /**
     * Exceptions beyond the run's limit, left for the next run.
     * @minimum 0
     * @format int64
     */
    exceptions_held_back: number;
    /**
     * 0: the defaults.
     * @format int64
     */
    rules_version: number | null;
    /**
     * The calendar of its business days. Null: Monday to Friday.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    calendar_id: string | null;
    /**
     * The version of the calendar.
     * @format int64
     */
    calendar_version: number | null;
    /**
     * The version of the matching engine.
     * @maxLength 20
     */
    engine_version: string | null;
    /**
     * After a full run, the same lines, rules, decisions and calendar version give the same digest.
     * @maxLength 64
     */
    digest: string | null;
    /**
     * Why it failed. Null: it did not.
     * @maxLength 1000
     */
    failure: string | null;
    /**
     * How long it took.
     * @format int64
     */
    duration_ms: number | null;
    created_at: CreationTime;
    created_by: Creator;
    /**
     * When it began.
     * @maxLength 24
     * @format date-time
     */
    started_at: string | null;
    /**
     * When it ended. Null: it hasn't.
     * @maxLength 24
     * @format date-time
     */
    finished_at: string | null;
};

export type RunChange = "newly_matched" | "no_longer_matched" | "changed";

export type RunDoneEvent = {
    /**
     * Its type.
     */
    type: "run.done";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        run: Run;
    };
};

export type RunImpact = {
    /**
     * What would be matched.
     */
    newly_matched: {
        /**
         * The number of matches.
         * @minimum 0
         * @format int64
         */
        matches: number;
        amounts: AmountsByCurrency;
    };
    /**
     * What would no longer be matched.
     */
    no_longer_matched: {
        /**
         * The number of matches.
         * @minimum 0
         * @format int64
         */
        matches: number;
        amounts: AmountsByCurrency;
    };
    /**
     * The same lines with another rule or other amounts.
     */
    changed: {
        /**
         * The number of matches.
         * @minimum 0
         * @format int64
         */
        matches: number;
        amounts: AmountsByCurrency;
    };
    /**
     * Exceptions that would be created.
     */
    exceptions: {
        /**
         * Exceptions of lines that would now match; for a closed period, past ones.
         * @minimum 0
         * @format int64
         */
        avoided: number;
        /**
         * Exceptions of lines that would stay open past the grace period.
         * @minimum 0
         * @format int64
         */
        added: number;
    };
    /**
     * At most 20.
     * @maxItems 20
     */
    samples: {
        /**
         * What would happen to it.
         */
        change: Open<RunChange>;
        /**
         * The rule's name, or manual.
         * @maxLength 200
         */
        rule: string;
        /**
         * The lines.
         * @maxItems 100000
         */
        line_ids: string[];
        currency: CurrencyOfAmount;
        /**
         * Money at risk, in the currency's minor unit: 125000 is 1,250.00 EUR.
         * @format int64
         */
        amount_minor: number;
    }[];
};

export type RunPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Run[];
    next_cursor: NextCursor;
};

export type RunStatus = "queued" | "running" | "done" | "failed";

export type Sandbox = {
    /**
     * The sandbox's tenant ID.
     * @pattern ^[a-z0-9][a-z0-9_-]{0,62}(\.sandbox)?$
     */
    tenant_id: string;
    /**
     * The reconciliation of the sample month.
     * @maxLength 44
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id: string | null;
};

export type Scope = "read:reconciliations" | "write:reconciliations" | "read:exceptions" | "write:exceptions" | "read:webhooks" | "write:webhooks" | "read:integrations" | "write:integrations" | "read:troubleshooting" | "write:troubleshooting" | "read:release-notes" | "write:release-notes" | "read:requests" | "read:security-events";

export type SecurityEvent = {
    /**
     * Its ID.
     * @pattern ^sev_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its number in the tenant's audit log.
     * @format int64
     */
    seq: number;
    /**
     * When it happened.
     * @format date-time
     */
    at: string;
    /**
     * Its type.
     * @maxLength 200
     */
    type: string;
    /**
     * Who did it: `user:<name>`, `api_key:<id>`, `service_role` or `system`.
     * @maxLength 125
     */
    actor: string;
    /**
     * The issuer of the person's token (`iss`). Null if the actor isn't a person, or for older entries.
     * @maxLength 255
     */
    actor_issuer: string | null;
    /**
     * The subject of the person's token (`sub`), unique at its issuer; `actor` is for display.
     * @maxLength 255
     */
    actor_subject: string | null;
    /**
     * The kind of credential.
     */
    credential: Open<"user" | "api_key" | "publishable_key" | "service_role" | "none" | "system">;
    /**
     * The credential's own tenant, if different.
     * @maxLength 71
     */
    home_tenant_id: string | null;
    /**
     * Whether the credential belongs to another tenant or was used on one.
     */
    cross_tenant: boolean;
    /**
     * Your own keyword for filtering lists.
     * @maxLength 200
     */
    operation: string | null;
    /**
     * The target: an ID, or tenant:<id>.
     * @maxLength 255
     */
    target: string | null;
    /**
     * The IP address.
     * @maxLength 45
     */
    address: string | null;
    /**
     * The X-Request-Id of the request.
     * @maxLength 64
     */
    request_id: string | null;
    /**
     * The reason given.
     * @maxLength 1000
     */
    reason: string | null;
    /**
     * For a change: each field with `from` and `to`. `target_name` is the target's name at the time, unless `name` has it.
     */
    details: Record<string, unknown>;
    /**
     * SHA-256, hexadecimal.
     * @maxLength 64
     */
    hash: string;
    /**
     * The previous event's hash. Null for the first event.
     * @maxLength 64
     */
    prev_hash: string | null;
};

export type SecurityEventPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: SecurityEvent[];
    next_cursor: NextCursor;
};

export type Severity = "critical" | "high" | "medium" | "low";

export type SignOff = {
    /**
     * Its state.
     */
    state: Open<"open" | "prepared" | "reviewed">;
    /**
     * How many reviews a close needs. 0: nobody has to sign first.
     * @minimum 0
     * @maximum 3
     */
    levels: number;
    /**
     * The valid signatures.
     * @maxItems 4
     */
    signatures: PeriodSignature[];
    /**
     * Why the last signatures are no longer valid.
     */
    revoked: {
        /**
         * When it happened.
         * @format date-time
         */
        at: string;
        /**
         * How rows are grouped.
         * @maxLength 125
         */
        by: string;
        /**
         * The reason given.
         * @maxLength 1000
         */
        reason: string;
    } | null;
};

export type SignedStatement = {
    /**
     * 1 for the first close.
     * @minimum 1
     * @format int64
     */
    number: number;
    /**
     * The `closing.digest` of the proof at the close. Null for periods that closed before there was one.
     * @maxLength 64
     * @pattern ^[0-9a-f]{64}$
     */
    digest: string | null;
    /**
     * Who closed it.
     * @maxLength 125
     */
    closed_by: string;
    /**
     * The issuer of the token of the person who closed. Null for older closes.
     * @maxLength 255
     */
    closer_issuer: string | null;
    /**
     * The subject of that token.
     * @maxLength 255
     */
    closer_subject: string | null;
    /**
     * When it was resolved or dismissed.
     * @format date-time
     */
    closed_at: string;
    /**
     * Who prepared and reviewed it.
     * @maxItems 4
     */
    signatures: PeriodSignature[];
    /**
     * Null while this statement is in force.
     * @maxLength 24
     * @format date-time
     */
    reopened_at: string | null;
    /**
     * Who reopened it. Null: nobody.
     * @maxLength 125
     */
    reopened_by: string | null;
    /**
     * Why the period was reopened.
     * @maxLength 1000
     */
    reason: string | null;
    statement: ReconciliationStatement;
};

export type SkipReason = "pending" | "declined" | "information" | "expected" | "total" | "non_monetary" | "unsupported" | "status";

export type SkippedException = {
    /**
     * Its ID.
     * @pattern ^exc_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * A one-line summary.
     * @maxLength 200
     */
    title: string;
    /**
     * The explanation.
     * @maxLength 2000
     */
    message: string;
};

/**
 * The first 100 that were skipped.
 * @maxItems 100
 */
export type SkippedLines = {
    /**
     * Line of the file, from 1.
     * @format int64
     */
    line: number;
    /**
     * Why it isn't a line.
     */
    reason: Open<SkipReason>;
    /**
     * The text in the file.
     * @maxLength 200
     */
    text: string;
}[];

export type SkippedPair = {
    /**
     * The source on the left side. Null: the reconciliation has no lines.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    left_source_id: string;
    /**
     * The source on the right side.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    right_source_id: string;
    /**
     * up_to_date: its newest period reaches the month. archived: its newest period is archived.
     */
    reason: Open<"up_to_date" | "archived">;
};

export type SlaChange = {
    /**
     * Its ID.
     * @pattern ^exc_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * When it changed.
     * @format date-time
     */
    changed_at: string;
    /**
     * Null: closed, or the filters no longer match it.
     */
    exception: SlaItem | null;
};

export type SlaChanges = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: SlaChange[];
    next_cursor: NextCursor;
    summary: SlaSummary;
    as_of: ResponseTime;
};

export type SlaException = {
    /**
     * Its ID.
     * @pattern ^exc_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * A one-line summary.
     * @maxLength 200
     */
    title: string;
    /**
     * Without due_at, the SLA policy for this severity sets the deadline.
     */
    severity: Open<Severity>;
    /**
     * The assignee, as `user:<name>`. Null: unassigned.
     * @maxLength 125
     * @pattern ^user:[^\s]{1,120}$
     */
    assigned_to: string | null;
    /**
     * The deadline.
     * @format date-time
     */
    due_at: string;
    /**
     * Minutes until due_at, rounded up. Zero or negative when breached, null when closed.
     * @format int64
     */
    minutes_to_breach: number | null;
    /**
     * How close the deadline is. Null when closed.
     */
    breach_risk: Open<BreachRisk> | null;
    /**
     * Open minutes of its calendar until due_at, rounded up. Null without a calendar, when closed, or over 25 years away.
     * @format int64
     */
    business_minutes_remaining: number | null;
    /**
     * The calendar its deadline counts by. Null: round the clock.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    calendar_id: string | null;
    /**
     * Null: not paused.
     * @maxLength 24
     * @format date-time
     */
    paused_at: string | null;
    /**
     * When it resumes by itself. Null: when someone resumes it.
     * @maxLength 24
     * @format date-time
     */
    paused_until: string | null;
    /**
     * Why it is paused.
     * @maxLength 500
     */
    pause_reason: string | null;
    /**
     * Its status.
     */
    status: Open<ExceptionStatus>;
    /**
     * Your own code for the cause.
     * @maxLength 64
     */
    reason_code: string | null;
    /**
     * Money at risk. For lines: the open amount of a single line, or the difference of a suggestion.
     * @format int64
     */
    amount_minor: number | null;
    /**
     * The ISO 4217 code for amount_minor.
     * @maxLength 3
     */
    currency: string | null;
    /**
     * The reconciliation it came from.
     * @maxLength 44
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id: string | null;
    /**
     * The line that stayed open too long. For a suggestion, whose lines share one exception, the first of them.
     * @maxLength 44
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    line_id: string | null;
    /**
     * The suggested match of the line. The exception is about all lines of this match: details.lines names them.
     * @maxLength 44
     * @pattern ^mat_[0-9a-z]{20,40}$
     */
    suggested_match_id: string | null;
    /**
     * Any data that your own systems need.
     */
    details: Record<string, unknown>;
    /**
     * How it was resolved. Required for resolved and dismissed.
     * @maxLength 1000
     */
    resolution: string | null;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
    /**
     * When it was resolved or dismissed.
     * @maxLength 24
     * @format date-time
     */
    closed_at: string | null;
};

export type SlaExceptionPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: SlaException[];
    next_cursor: NextCursor;
};

export type SlaFacets = {
    /**
     * Exceptions that all the filters match.
     * @minimum 0
     * @format int64
     */
    total: number;
    /**
     * Paused exceptions, part of low risk.
     * @minimum 0
     * @format int64
     */
    paused_count: number;
    /**
     * The values of each filter, with counts.
     */
    facets: {
        /**
         * How close the deadline is. Null when closed.
         * @maxItems 50
         */
        breach_risk: FacetValue[];
        /**
         * Its status.
         * @maxItems 50
         */
        status: FacetValue[];
        /**
         * The assignee, as `user:<name>`. Null: unassigned.
         * @maxItems 50
         */
        assigned_to: FacetValue[];
        /**
         * The reconciliation it came from.
         * @maxItems 50
         */
        reconciliation_id: FacetValue[];
        /**
         * Your own code for the cause.
         * @maxItems 50
         */
        reason_code: FacetValue[];
        /**
         * Without due_at, the SLA policy for this severity sets the deadline.
         * @maxItems 50
         */
        severity: FacetValue[];
        /**
         * The ISO 4217 code for amount_minor.
         * @maxItems 50
         */
        currency: FacetValue[];
    };
    /**
     * Whether every value is listed.
     */
    complete: boolean;
    as_of: ResponseTime;
};

export type SlaItem = {
    /**
     * Its ID.
     * @pattern ^exc_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * A one-line summary.
     * @maxLength 200
     */
    title: string;
    /**
     * Without due_at, the SLA policy for this severity sets the deadline.
     */
    severity: Open<Severity>;
    /**
     * The assignee, as `user:<name>`. Null: unassigned.
     * @maxLength 125
     * @pattern ^user:[^\s]{1,120}$
     */
    assigned_to: string | null;
    /**
     * The deadline.
     * @format date-time
     */
    due_at: string;
    /**
     * Minutes until due_at, rounded up. Zero or negative when breached.
     * @format int64
     */
    minutes_to_breach: number;
    /**
     * How close the deadline is. Null when closed.
     */
    breach_risk: Open<BreachRisk>;
    /**
     * Open minutes of its calendar until due_at, rounded up. Null without a calendar, when closed, or over 25 years away.
     * @format int64
     */
    business_minutes_remaining: number | null;
    /**
     * The calendar its deadline counts by. Null: round the clock.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    calendar_id: string | null;
    /**
     * Null: not paused.
     * @maxLength 24
     * @format date-time
     */
    paused_at: string | null;
    /**
     * When it resumes by itself. Null: when someone resumes it.
     * @maxLength 24
     * @format date-time
     */
    paused_until: string | null;
    /**
     * Why it is paused.
     * @maxLength 500
     */
    pause_reason: string | null;
    /**
     * Its status.
     */
    status: Open<OpenExceptionStatus>;
    /**
     * Your own code for the cause.
     * @maxLength 64
     */
    reason_code: string | null;
    /**
     * Money at risk. For lines: the open amount of a single line, or the difference of a suggestion.
     * @format int64
     */
    amount_minor: number | null;
    /**
     * The ISO 4217 code for amount_minor.
     * @maxLength 3
     */
    currency: string | null;
    /**
     * The reconciliation it came from.
     * @maxLength 44
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id: string | null;
    /**
     * The line that stayed open too long. For a suggestion, whose lines share one exception, the first of them.
     * @maxLength 44
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    line_id: string | null;
    /**
     * The suggested match of the line. The exception is about all lines of this match: details.lines names them.
     * @maxLength 44
     * @pattern ^mat_[0-9a-z]{20,40}$
     */
    suggested_match_id: string | null;
    /**
     * Any data that your own systems need.
     */
    details: Record<string, unknown>;
    /**
     * How it was resolved. Required for resolved and dismissed.
     * @maxLength 1000
     */
    resolution: string | null;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
    /**
     * When it was resolved or dismissed.
     * @maxLength 24
     * @format date-time
     */
    closed_at: string | null;
};

export type SlaList = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: SlaItem[];
    next_cursor: NextCursor;
    summary: SlaSummary;
    as_of: ResponseTime;
};

export type SlaPolicy = {
    minutes_to_resolve: MinutesBySeverity;
    /**
     * Minutes before due_at at which exception.sla.at_risk is sent. May be empty.
     * @minItems 0
     * @maxItems 10
     */
    at_risk_thresholds: number[];
    /**
     * The same in open minutes of the exception's calendar. Round the clock, every minute is open. If omitted, it stays unchanged.
     * @maxItems 10
     */
    at_risk_business_thresholds: number[];
    /**
     * The calendar whose open minutes minutes_to_resolve counts. Null: round the clock. If omitted, it stays unchanged.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    calendar_id: string | null;
    calendar_by_severity: CalendarBySeverity;
    pause: PausePolicy;
    updated_at: ChangeTime;
    /**
     * Who last changed it.
     * @maxLength 125
     */
    updated_by: string;
};

export type SlaPolicyChange = {
    minutes_to_resolve: MinutesBySeverity;
    /**
     * Minutes before due_at at which exception.sla.at_risk is sent. May be empty.
     * @minItems 0
     * @maxItems 10
     */
    at_risk_thresholds: number[];
    /**
     * The same in open minutes of the exception's calendar. Round the clock, every minute is open. If omitted, it stays unchanged.
     * @maxItems 10
     */
    at_risk_business_thresholds: number[];
    /**
     * The calendar whose open minutes minutes_to_resolve counts. Null: round the clock. If omitted, it stays unchanged.
     * @maxLength 44
     * @pattern ^cal_[0-9a-z]{20,40}$
     */
    calendar_id: string | null;
    calendar_by_severity: CalendarBySeverity;
    pause: PausePolicy;
    updated_at: ChangeTime;
    /**
     * Who last changed it.
     * @maxLength 125
     */
    updated_by: string;
    /**
     * If true, nothing was changed.
     */
    dry_run: boolean;
    impact: SlaPolicyImpact;
};

export type SlaPolicyImpact = {
    /**
     * Open exceptions whose deadline was set by the policy and moves with it.
     * @minimum 0
     * @format int64
     */
    changed: number;
    /**
     * Deadlines that would move earlier.
     * @minimum 0
     * @format int64
     */
    earlier: number;
    /**
     * Deadlines that would move later.
     * @minimum 0
     * @format int64
     */
    later: number;
    /**
     * Exceptions that would be breached.
     * @minimum 0
     * @format int64
     */
    newly_breached: number;
    /**
     * Exceptions that would no longer be breached.
     * @minimum 0
     * @format int64
     */
    no_longer_breached: number;
    by_severity: CountBySeverity;
};

export type SlaReport = {
    /**
     * The beginning of the period.
     * @format date-time
     */
    since: string;
    /**
     * The end of the period.
     * @format date-time
     */
    until: string;
    /**
     * How rows are grouped.
     */
    by: Open<SlaReportGrouping>;
    /**
     * @maxItems 10000
     */
    rows: SlaReportRow[];
};

export type SlaReportGrouping = "day" | "severity" | "assigned_to";

export type SlaReportRow = {
    /**
     * The day (UTC), severity or assignee. Null: unassigned.
     * @maxLength 125
     */
    key: string | null;
    /**
     * How many were created.
     * @minimum 0
     * @format int64
     */
    opened: number;
    /**
     * Resolved or dismissed.
     * @minimum 0
     * @format int64
     */
    resolved: number;
    /**
     * How many breached, or whether this one did.
     * @minimum 0
     * @format int64
     */
    breached: number;
    /**
     * Share breached, of those closed or breached. Null if there were none.
     */
    breach_rate: number | null;
    /**
     * Median minutes to close.
     */
    median_minutes_to_resolve: number | null;
    /**
     * 90th percentile of minutes to close.
     */
    p90_minutes_to_resolve: number | null;
};

export type SlaSort = "due_at" | "severity" | "assigned_to" | "breach_risk" | "amount";

/**
 * All open exceptions of the tenant, regardless of filters. At risk is high and medium, on track is low.
 */
export type SlaSummary = {
    /**
     * Open exceptions past their deadline.
     * @minimum 0
     * @format int64
     */
    breached_count: number;
    /**
     * Open exceptions with high or medium risk.
     * @minimum 0
     * @format int64
     */
    at_risk_count: number;
    /**
     * Open exceptions with low risk.
     * @minimum 0
     * @format int64
     */
    on_track_count: number;
    /**
     * All open exceptions.
     * @minimum 0
     * @format int64
     */
    total_open: number;
};

export type Source = {
    /**
     * Its ID.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name: string;
    /**
     * Its kind.
     */
    kind: Open<SourceKind>;
    currency: CurrencyOfAmount;
    /**
     * The IANA time zone.
     * @maxLength 64
     */
    time_zone: string;
    /**
     * inverted: the source books with the opposite sign, so a reconciliation negates its amounts.
     */
    sign: Open<SourceSign>;
    /**
     * How CSV, NDJSON and JSON files are read. Null: detected in each file.
     */
    mapping: ImportMapping | null;
    /**
     * Business days a line may stay open before it becomes an exception.
     * @minimum 0
     * @maximum 90
     */
    grace_days: number;
    /**
     * How many lines there are.
     * @minimum 0
     * @format int64
     */
    line_count: number;
    /**
     * When the latest import ended.
     * @maxLength 24
     * @format date-time
     */
    last_import_at: string | null;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
};

export type SourceBalance = {
    /**
     * Its ID.
     * @pattern ^bal_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The source.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    source_id: string;
    currency: CurrencyOfAmount;
    /**
     * The account as the file writes it. Null for a recorded balance.
     * @maxLength 200
     */
    account: string | null;
    /**
     * First day of the statement. Null for a single balance.
     * @maxLength 10
     * @format date
     */
    period_start: string | null;
    /**
     * The day at whose end the account had closing_minor.
     * @format date
     */
    period_end: string;
    /**
     * At the start of period_start, with the source's own sign.
     * @format int64
     */
    opening_minor: number | null;
    /**
     * With the source's own sign.
     * @format int64
     */
    closing_minor: number;
    /**
     * The file with this balance.
     * @maxLength 44
     * @pattern ^imp_[0-9a-z]{20,40}$
     */
    import_id: string | null;
    /**
     * The reason given. Null if it is from a file.
     * @maxLength 1000
     */
    reason: string | null;
    created_at: CreationTime;
    created_by: Creator;
};

export type SourceBalancePage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: SourceBalance[];
    next_cursor: NextCursor;
};

export type SourceCoverage = {
    /**
     * The side of the reconciliation.
     */
    side: Open<LineSide>;
    /**
     * The source's name.
     * @maxLength 200
     */
    name: string;
    /**
     * The last day with a line or a balance.
     * @maxLength 10
     * @format date
     */
    until: string | null;
    /**
     * Business days from then to the end of the period, by the calendar of the pair's rules.
     * @minimum 0
     * @format int64
     */
    missing_days: number;
    /**
     * Whether the balance at the end of the period is known.
     */
    has_balance: boolean;
    /**
     * Where a statement doesn't continue the previous one.
     * @maxItems 100
     */
    breaks: StatementBreak[];
};

export type SourceKind = "bank_statement" | "ledger" | "processor" | "orders" | "other";

export type SourcePage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Source[];
    next_cursor: NextCursor;
};

export type SourceSign = "as_is" | "inverted";

export type SpecialDay = {
    /**
     * The day.
     * @format date
     */
    date: string;
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name: string | null;
    /**
     * Empty: closed.
     * @maxItems 20
     */
    intervals: {
        /**
         * Local time.
         * @pattern ^([01]\d|2[0-3]):[0-5]\d$
         */
        from: string;
        /**
         * Local time. At or before `from`: on the next day.
         * @pattern ^(([01]\d|2[0-3]):[0-5]\d|24:00)$
         */
        to: string;
    }[];
};

export type SpecialDayInput = {
    /**
     * The day.
     * @format date
     */
    date: string;
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name?: string | null;
    /**
     * Empty: closed.
     * @maxItems 20
     */
    intervals?: {
        /**
         * Local time.
         * @pattern ^([01]\d|2[0-3]):[0-5]\d$
         */
        from: string;
        /**
         * Local time. At or before `from`: on the next day.
         * @pattern ^(([01]\d|2[0-3]):[0-5]\d|24:00)$
         */
        to: string;
    }[];
};

export type StateSourceBalanceRequest = {
    /**
     * The day at whose end the account had this balance.
     */
    day: string | string;
    /**
     * Decimal. Send this or amount_minor.
     * @maxLength 32
     */
    amount?: string;
    /**
     * The same in the currency's minor unit.
     * @format int64
     */
    amount_minor?: number;
    /**
     * ISO 4217. By default the source's.
     * @pattern ^[A-Z]{3}$
     */
    currency?: string;
    /**
     * The reason given.
     * @minLength 1
     * @maxLength 500
     */
    reason: string;
    idempotency_key?: RequestIdempotencyKey;
};

export type StatementBreak = {
    /**
     * Its kind.
     */
    kind: Open<"gap" | "overlap">;
    /**
     * The value before, or the beginning.
     * @format date
     */
    from: string;
    /**
     * The value after, or the end.
     * @format date
     */
    to: string;
    /**
     * How much the next opening balance exceeds the previous closing balance plus the lines in between.
     */
    minor: number | string;
};

/**
 * The entries that its close created for the ledger. Absent without entries.
 */
export type StatementEntries = {
    /**
     * How many there are.
     * @minimum 0
     * @format int64
     */
    count: number;
    /**
     * The hash of all hashes in the bundle's entries.ndjson.
     * @pattern ^[0-9a-f]{64}$
     */
    sha256: string;
};

/**
 * The files of evidence that a signed statement lists. Absent before a close.
 */
export type StatementEvidence = {
    /**
     * How many there are.
     * @minimum 0
     * @format int64
     */
    count: number;
    /**
     * The hash of all hashes in the bundle's evidence.ndjson.
     * @pattern ^[0-9a-f]{64}$
     */
    sha256: string;
};

export type StatementExclusion = {
    /**
     * The line.
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    line_id: string;
    /**
     * The side of the reconciliation.
     */
    side: Open<LineSide>;
    /**
     * The day on which the amount counts.
     * @format date
     */
    value_date: string;
    currency: CurrencyOfAmount;
    /**
     * The excluded part of the line.
     * @format int64
     */
    amount_minor: number;
    /**
     * The payment reference.
     * @maxLength 500
     */
    reference: string | null;
    /**
     * The other party.
     * @maxLength 500
     */
    counterparty: string | null;
    description: FreeText;
    /**
     * The reason given.
     * @maxLength 1000
     */
    reason: string;
    /**
     * Who excluded it.
     * @maxLength 125
     */
    decided_by: string;
    /**
     * When it was decided.
     * @format date-time
     */
    decided_at: string;
};

export type StatementResidual = {
    /**
     * The match.
     * @pattern ^mat_[0-9a-z]{20,40}$
     */
    match_id: string;
    /**
     * The largest line of the match.
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    line_id: string;
    /**
     * The day on which the amount counts.
     * @format date
     */
    value_date: string;
    currency: CurrencyOfAmount;
    /**
     * The difference left − right that the match keeps.
     * @format int64
     */
    amount_minor: number;
    /**
     * The payment reference.
     * @maxLength 500
     */
    reference: string | null;
    /**
     * The other party.
     * @maxLength 500
     */
    counterparty: string | null;
    description: FreeText;
    /**
     * The rule whose tolerance allows it.
     * @maxLength 1000
     */
    reason: string;
    /**
     * Who confirmed the match. Null: a run.
     * @maxLength 125
     */
    decided_by: string | null;
    /**
     * When it was decided.
     * @format date-time
     */
    decided_at: string;
};

export type StatementSignature = {
    /**
     * 1 for the first close.
     * @minimum 1
     * @format int64
     */
    number: number;
    /**
     * The `closing.digest` of the proof at the close. Null for periods that closed before there was one.
     * @maxLength 64
     * @pattern ^[0-9a-f]{64}$
     */
    digest: string | null;
    /**
     * Who closed it.
     * @maxLength 125
     */
    closed_by: string;
    /**
     * The issuer of the token of the person who closed. Null for older closes.
     * @maxLength 255
     */
    closer_issuer: string | null;
    /**
     * The subject of that token.
     * @maxLength 255
     */
    closer_subject: string | null;
    /**
     * When it was resolved or dismissed.
     * @format date-time
     */
    closed_at: string;
    /**
     * Who prepared and reviewed it.
     * @maxItems 4
     */
    signatures: PeriodSignature[];
    /**
     * Null while this statement is in force.
     * @maxLength 24
     * @format date-time
     */
    reopened_at: string | null;
    /**
     * Who reopened it. Null: nobody.
     * @maxLength 125
     */
    reopened_by: string | null;
    /**
     * Why the period was reopened.
     * @maxLength 1000
     */
    reason: string | null;
};

export type StatementSignaturePage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: StatementSignature[];
    next_cursor: NextCursor;
};

export type StepKind = "rule" | "people" | "excluded";

export type SuggestionBand = {
    /**
     * The rule's name, or manual.
     * @maxLength 200
     */
    method: string;
    /**
     * The smallest score.
     * @minimum 0
     * @maximum 1
     */
    score_from: number;
    /**
     * Null: no upper end.
     * @minimum 0
     * @maximum 1
     */
    score_below: number | null;
    /**
     * Matches suggested in the period.
     * @minimum 0
     * @format int64
     */
    count: number;
    amounts: AmountsByCurrency;
    /**
     * How many of this rule and band people confirmed individually, in all periods of these sources.
     * @minimum 0
     * @format int64
     */
    confirmed_count: number;
    /**
     * How many they rejected or undid.
     * @minimum 0
     * @format int64
     */
    rejected_count: number;
};

export type SuggestionBands = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: SuggestionBand[];
    /**
     * The open lines that at least one suggestion takes.
     * @maxItems 400
     */
    suggested: {
        currency: CurrencyOfAmount;
        /**
         * The side of the reconciliation.
         */
        side: Open<LineSide>;
        /**
         * How many lines there are.
         * @minimum 0
         * @format int64
         */
        line_count: number;
        /**
         * What is open of them.
         */
        open_minor: number | string;
    }[];
};

export type SuggestionSample = {
    /**
     * How many there are.
     * @minimum 0
     * @format int64
     */
    count: number;
    amounts: AmountsByCurrency;
    /**
     * The items.
     * @maxItems 1000
     */
    items: Match[];
};

export type TenantMember = {
    /**
     * The account's ID in Supabase Auth.
     * @pattern ^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$
     * @format uuid
     */
    id: string;
    /**
     * The local part of the email address.
     * @maxLength 200
     */
    name: string;
    /**
     * The value for assigned_to.
     * @pattern ^user:[^\s]{1,120}$
     */
    user: string;
    /**
     * Their email address.
     * @maxLength 254
     */
    email: string | null;
    /**
     * Their roles in the tenant.
     * @maxItems 16
     */
    roles: Open<Role>[];
    /**
     * suspended: banned in Supabase Auth; can't sign in.
     */
    status: Open<TenantMemberStatus>;
    /**
     * When it was created.
     * @maxLength 24
     * @format date-time
     */
    created_at: string | null;
    /**
     * Last sign-in with a password.
     * @maxLength 24
     * @format date-time
     */
    last_sign_in_at: string | null;
    /**
     * Exceptions assigned to them, counted up to 1,000.
     * @minimum 0
     * @maximum 1000
     */
    open_exceptions: number;
};

export type TenantMemberPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: TenantMember[];
    next_cursor: NextCursor;
};

export type TenantMemberStatus = "active" | "suspended";

/**
 * Only on a test, whose data is an example.
 */
export type TestMark = true;

export type TestWebhookRequest = {
    /**
     * Its type.
     */
    type?: EventKind;
    idempotency_key?: RequestIdempotencyKey;
};

export type ThresholdKind = "wall_clock" | "business";

export type TimeToBreach = {
    /**
     * From most overdue to most time left, without gaps or overlaps.
     * @maxItems 32
     */
    buckets: {
        /**
         * Lowest minutes_to_breach counted. Null: no limit.
         * @format int64
         */
        from_minutes: number | null;
        /**
         * Highest minutes_to_breach counted. Null: no limit.
         * @format int64
         */
        to_minutes: number | null;
        /**
         * How close the deadline is. Null when closed.
         */
        breach_risk: Open<BreachRisk>;
        /**
         * How many are open.
         * @minimum 0
         * @format int64
         */
        open_count: number;
    }[];
    summary: SlaSummary;
    as_of: ResponseTime;
};

/**
 * Problems, their symptoms and how to resolve them.
 */
export type TroubleshootingGuide = {
    /**
     * A one-line summary.
     * @minLength 1
     * @maxLength 200
     */
    title?: string | null;
    /**
     * What the reader sees.
     * @maxLength 20000
     */
    symptom?: string | null;
    /**
     * How it was resolved. Required for resolved and dismissed.
     * @maxLength 20000
     */
    resolution?: string | null;
    /**
     * Whether anyone can read it with the publishable key.
     */
    published?: boolean | null;
    /**
     * Your own keyword for filtering lists.
     * @maxLength 200
     */
    operation?: string | null;
    /**
     * Your own number, 1 to 250.
     * @minimum 1
     * @maximum 250
     */
    limit?: number | null;
    /**
     * Its ID.
     * @pattern ^rec_[0-9a-z]{20,40}$
     */
    id: string;
    created_at: CreationTime;
    /**
     * Null with the publishable key.
     * @maxLength 125
     */
    created_by: string | null;
    updated_at: ChangeTime;
    /**
     * True once deleted.
     */
    soft_delete: boolean;
    /**
     * When it was deleted.
     * @maxLength 24
     * @format date-time
     */
    deleted_at: string | null;
    /**
     * When a deleted record is permanently deleted: 30 days after deletion.
     * @maxLength 24
     * @format date-time
     */
    purge_at: string | null;
    [name: string]: unknown;
};

export type TroubleshootingGuidePage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: TroubleshootingGuide[];
    next_cursor: NextCursor;
};

export type UnauthenticatedProblem = Problem & {
    /**
     * Its status.
     */
    status?: 401;
    /**
     * The code for your program.
     */
    code?: "unauthenticated";
};

export type UnavailableProblem = Problem & {
    /**
     * Its status.
     */
    status?: 503;
    /**
     * The code for your program.
     */
    code?: "unavailable";
};

export type UnsupportedMediaTypeProblem = Problem & {
    /**
     * Its status.
     */
    status?: 415;
    /**
     * The code for your program.
     */
    code?: "unsupported_media_type";
};

export type UpdateAlertChannelRequest = {
    /**
     * Its name.
     * @minLength 1
     * @maxLength 120
     */
    name?: string;
    /**
     * A Slack-compatible incoming webhook. It is a secret: sealed, and never returned.
     * @maxLength 2048
     * @format password
     */
    url?: string;
    /**
     * The alerts that are sent to it.
     * @minItems 1
     * @maxItems 5
     */
    kinds?: AlertChannelKind[];
};

export type UpdateApiKeyRequest = {
    /**
     * The key's name.
     * @minLength 1
     * @maxLength 120
     */
    name?: string;
    description?: FreeText;
    /**
     * Write access doesn't include read access.
     * @minItems 1
     * @maxItems 14
     */
    scopes?: Scope[];
    /**
     * At most 10 years away. Null: never. Setting one is recommended.
     * @maxLength 64
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    expires_at?: string | null;
    /**
     * Ranges are normalized: host bits are cleared. Empty means any address.
     * @maxItems 50
     */
    ip_allowlist?: string[];
};

export type UpdateConnectionRequest = {
    /**
     * https: the file's URL. s3: an https URL with endpoint, bucket and prefix. sftp: host and folder. Only public addresses. mail: assigned by the server.
     * @minLength 1
     * @maxLength 2048
     */
    address?: string;
    /**
     * Only for mail: the accepted senders, as addresses or as @ and a domain.
     * @maxItems 50
     */
    allowed_senders?: string[];
    /**
     * How to sign in. signed_query: the credential is the query of a signed https URL. access_key: for s3, with its ID as user_name.
     */
    auth?: ConnectionAuth;
    /**
     * The user's name, or the access key's ID.
     * @minLength 1
     * @maxLength 200
     */
    user_name?: string | null;
    /**
     * Only for s3.
     * @maxLength 64
     * @pattern ^[a-z0-9-]+$
     */
    region?: string | null;
    /**
     * A pattern for file names: * is any characters, ? is one.
     * @minLength 1
     * @maxLength 200
     */
    file_glob?: string;
    schedule?: ConnectionScheduleInput;
    /**
     * What happens to a file on the server after its import.
     */
    afterwards?: FileAfterwards;
    /**
     * The subfolder to move files to, with afterwards: move.
     * @minLength 1
     * @maxLength 100
     * @pattern ^(?!\.{1,2}$)[^/\\]+$
     */
    move_to?: string | null;
    /**
     * How long a file's size and time must stay the same before it is fetched.
     * @minimum 0
     * @maximum 300
     */
    stable_seconds?: number;
    /**
     * Whether a file waits for a second file with its name and .done.
     */
    waits_for_marker?: boolean;
    /**
     * Who gets the exception when a file is missing.
     * @maxLength 125
     * @pattern ^user:[^\s]{1,120}$
     */
    assigned_to?: string | null;
    /**
     * Only for sftp: the server's host key. Null: the first one that it presents is pinned.
     * @minLength 50
     * @maxLength 50
     * @pattern ^SHA256:[A-Za-z0-9+/]+$
     */
    host_key?: string | null;
    /**
     * The token, query, password, private key (OpenSSH or PEM, without a passphrase) or secret access key. Stored encrypted and never returned. If omitted in a change, the stored value stays.
     * @minLength 1
     * @maxLength 10000
     * @format password
     */
    credential?: string;
    /**
     * Its status.
     */
    status?: "active" | "paused";
};

export type UpdateExceptionRequest = {
    /**
     * A one-line summary.
     * @minLength 1
     * @maxLength 200
     */
    title?: string;
    /**
     * Without due_at, the SLA policy for this severity sets the deadline.
     */
    severity?: Severity;
    /**
     * The assignee, as `user:<name>`. Null: unassigned.
     * @maxLength 125
     * @pattern ^user:[^\s]{1,120}$
     */
    assigned_to?: string | null;
    /**
     * The deadline.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    due_at?: string;
    /**
     * Your own code for the cause.
     * @minLength 1
     * @maxLength 64
     */
    reason_code?: string | null;
    /**
     * Money at risk, in the currency's minor unit. Requires currency.
     * @minimum 0
     * @format int64
     */
    amount_minor?: number | null;
    /**
     * The ISO 4217 code for amount_minor.
     */
    currency?: Currency | null;
    /**
     * The reconciliation it came from.
     * @maxLength 44
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id?: string | null;
    /**
     * Its status.
     */
    status?: ExceptionStatus;
    /**
     * Merged into details. At most 16 kB after merging.
     */
    details?: Record<string, unknown> | null;
    /**
     * How it was resolved. Required for resolved and dismissed.
     * @minLength 1
     * @maxLength 1000
     */
    resolution?: string | null;
};

export type UpdateExceptionsRequest = {
    /**
     * The items to change.
     * @minItems 1
     * @maxItems 500
     */
    ids?: string[];
    /**
     * Instead of ids: the open exceptions that match.
     */
    filter?: ExceptionFilters;
    /**
     * With filter: how many match, as you saw it.
     * @minimum 1
     * @maximum 9999
     */
    expected_count?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * The change to make to each of them.
     */
    patch?: {
        /**
         * Without due_at, the SLA policy for this severity sets the deadline.
         */
        severity?: Severity;
        /**
         * The assignee, as `user:<name>`. Null: unassigned.
         * @maxLength 125
         * @pattern ^user:[^\s]{1,120}$
         */
        assigned_to?: string | null;
        /**
         * The deadline.
         * @pattern (?:Z|\+00:00)$
         * @format date-time
         */
        due_at?: string;
        /**
         * Your own code for the cause.
         * @minLength 1
         * @maxLength 64
         */
        reason_code?: string | null;
        /**
         * Its status.
         */
        status?: ExceptionStatus;
        /**
         * How it was resolved. Required for resolved and dismissed.
         * @minLength 1
         * @maxLength 1000
         */
        resolution?: string | null;
    };
    /**
     * Pauses them. Instead of patch.
     */
    pause?: {
        /**
         * The reason given.
         * @minLength 1
         * @maxLength 500
         */
        reason: string;
        /**
         * When it resumes by itself.
         * @maxLength 64
         * @pattern (?:Z|\+00:00)$
         * @format date-time
         */
        until?: string | null;
    };
    /**
     * Resumes them. Instead of patch.
     */
    resume?: true;
    idempotency_key?: RequestIdempotencyKey;
};

export type UpdateIntegrationRequest = {
    /**
     * The tenant. Must match X-Tenant-Id.
     * @maxLength 63
     */
    tenantId?: string;
    /**
     * Your own keyword for filtering lists.
     * @maxLength 200
     */
    operation?: string | null;
    /**
     * Your own number, 1 to 250.
     * @minimum 1
     * @maximum 250
     */
    limit?: number | null;
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name?: string | null;
    /**
     * The connected system.
     * @minLength 1
     * @maxLength 120
     */
    provider?: string | null;
    /**
     * Its status.
     * @minLength 1
     * @maxLength 64
     */
    status?: string | null;
    /**
     * Any JSON object. Values that look like credentials are rejected.
     */
    config?: Record<string, unknown> | null;
    id?: unknown;
    created_at?: unknown;
    created_by?: unknown;
    updated_at?: unknown;
    soft_delete?: unknown;
    deleted_at?: unknown;
    purge_at?: unknown;
    tenant_id?: unknown;
    idempotencyKey?: unknown;
    [name: string]: unknown;
};

export type UpdateReconciliationRequest = {
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name?: string;
    /**
     * Its status.
     */
    status?: ReconciliationStatus;
    /**
     * First day of the period.
     */
    period_start?: string | string;
    /**
     * Last day of the period.
     */
    period_end?: string | string;
    /**
     * One of the two sides compared.
     * @minLength 1
     * @maxLength 200
     */
    left_source?: string;
    /**
     * The other side.
     * @minLength 1
     * @maxLength 200
     */
    right_source?: string;
    /**
     * Items with a counterpart.
     * @minimum 0
     * @format int64
     */
    matched_count?: number;
    /**
     * Items without a counterpart.
     * @minimum 0
     * @format int64
     */
    unmatched_count?: number;
    /**
     * Whether new lines start a run.
     */
    auto_run?: boolean;
};

export type UpdateReleaseNoteRequest = {
    /**
     * The tenant. Must match X-Tenant-Id.
     * @maxLength 63
     */
    tenantId?: string;
    /**
     * Your own keyword for filtering lists.
     * @maxLength 200
     */
    operation?: string | null;
    /**
     * Your own number, 1 to 250.
     * @minimum 1
     * @maximum 250
     */
    limit?: number | null;
    /**
     * A one-line summary.
     * @minLength 1
     * @maxLength 200
     */
    title?: string | null;
    /**
     * The version it describes.
     * @minLength 1
     * @maxLength 64
     */
    version?: string | null;
    /**
     * Markdown.
     * @maxLength 50000
     */
    body?: string | null;
    /**
     * Whether anyone can read it with the publishable key.
     */
    published?: boolean | null;
    /**
     * The publication time shown to readers.
     * @maxLength 64
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    published_at?: string | null;
    id?: unknown;
    created_at?: unknown;
    created_by?: unknown;
    updated_at?: unknown;
    soft_delete?: unknown;
    deleted_at?: unknown;
    purge_at?: unknown;
    tenant_id?: unknown;
    idempotencyKey?: unknown;
    [name: string]: unknown;
};

export type UpdateSourceRequest = {
    /**
     * Its name.
     * @minLength 1
     * @maxLength 200
     */
    name?: string;
    /**
     * Its kind.
     */
    kind?: SourceKind;
    /**
     * The currency of lines that name none.
     * @pattern ^[A-Z]{3}$
     */
    currency?: string;
    /**
     * The time zone that turns a file's times into days.
     * @minLength 1
     * @maxLength 64
     */
    time_zone?: string;
    /**
     * inverted: the source books with the opposite sign, so a reconciliation negates its amounts.
     */
    sign?: SourceSign;
    /**
     * How CSV, NDJSON and JSON files are read. Null: detected in each file.
     */
    mapping?: ImportMapping | null;
    /**
     * Business days a line may stay open before it becomes an exception.
     * @minimum 0
     * @maximum 90
     */
    grace_days?: number;
};

export type UpdateTenantMemberRequest = {
    /**
     * One or more.
     * @minItems 1
     * @maxItems 4
     */
    roles: Role[];
};

export type UpdateTroubleshootingGuideRequest = {
    /**
     * The tenant. Must match X-Tenant-Id.
     * @maxLength 63
     */
    tenantId?: string;
    /**
     * Your own keyword for filtering lists.
     * @maxLength 200
     */
    operation?: string | null;
    /**
     * Your own number, 1 to 250.
     * @minimum 1
     * @maximum 250
     */
    limit?: number | null;
    /**
     * A one-line summary.
     * @minLength 1
     * @maxLength 200
     */
    title?: string | null;
    /**
     * What the reader sees.
     * @maxLength 20000
     */
    symptom?: string | null;
    /**
     * How it was resolved. Required for resolved and dismissed.
     * @maxLength 20000
     */
    resolution?: string | null;
    /**
     * Whether anyone can read it with the publishable key.
     */
    published?: boolean | null;
    id?: unknown;
    created_at?: unknown;
    created_by?: unknown;
    updated_at?: unknown;
    soft_delete?: unknown;
    deleted_at?: unknown;
    purge_at?: unknown;
    tenant_id?: unknown;
    idempotencyKey?: unknown;
    [name: string]: unknown;
};

export type UpdateViewRequest = {
    /**
     * The view's name.
     * @minLength 1
     * @maxLength 80
     */
    name?: string;
    /**
     * Whether everyone in the tenant sees it. Otherwise only you.
     */
    shared?: boolean;
    /**
     * The filters of GET /v1/exceptions/sla, each with its values. `me` is the person viewing it.
     */
    filters?: ExceptionFilters;
    /**
     * The order, as sortBy.
     */
    sort_by?: SlaSort;
};

export type UpdateWebhookRequest = {
    /**
     * An https URL on port 443 or 1024 to 65535, at a public address.
     * @maxLength 2048
     * @format uri
     */
    url?: string;
    description?: FreeText;
    /**
     * The event types it subscribes to.
     * @minItems 1
     * @maxItems 23
     */
    events?: EventKind[];
    /**
     * Only events that pass all of these filters. A filter ignores events without the field it checks. Empty: all events.
     */
    filters?: WebhookFilters;
    /**
     * Sent with each delivery, for example to a gateway; a change replaces them all. Values are stored encrypted and never returned. Not those of the connection or the signature.
     * @maxItems 10
     */
    headers?: {
        /**
         * Its name.
         * @minLength 1
         * @maxLength 64
         */
        name: string;
        /**
         * If omitted in a change, the stored value stays.
         * @minLength 1
         * @maxLength 1000
         * @format password
         */
        value?: string;
    }[];
    /**
     * The maximum number of attempts a minute; others wait. Null: no limit.
     * @minimum 1
     * @maximum 6000
     */
    max_per_minute?: number | null;
    oauth?: OAuthClientInput;
    /**
     * Its status.
     */
    status?: WebhookStatus;
    /**
     * Why it is disabled.
     * @maxLength 500
     */
    reason?: string | null;
};

export type UserSession = {
    /**
     * Its ID.
     * @pattern ^ses_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * `password`, or the name of the identity provider.
     * @maxLength 32
     */
    provider: string;
    /**
     * Where it was signed in from.
     * @maxLength 45
     */
    address: string | null;
    /**
     * What the browser called itself, its first 300 characters.
     * @maxLength 300
     */
    user_agent: string | null;
    /**
     * When you signed in.
     * @format date-time
     */
    started_at: string;
    /**
     * The last time that you did something with it, to about a minute.
     * @format date-time
     */
    seen_at: string;
    /**
     * When it ends, whatever you do.
     * @format date-time
     */
    expires_at: string;
    /**
     * When it ended. Null: it is active.
     * @maxLength 24
     * @format date-time
     */
    ended_at: string | null;
    /**
     * Whether this call was made with it.
     */
    current: boolean;
};

export type UserSessionPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: UserSession[];
    next_cursor: NextCursor;
};

export type ValueSign = "plus" | "minus";

export type View = {
    /**
     * Its ID.
     * @pattern ^viw_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Its name.
     * @maxLength 200
     */
    name: string;
    /**
     * Whether everyone in the tenant sees it. Otherwise only you.
     */
    shared: boolean;
    /**
     * The filters of GET /v1/exceptions/sla, each with its values. `me` is the person viewing it.
     */
    filters: ExceptionFilters;
    /**
     * The order, as sortBy.
     */
    sort_by: Open<SlaSort>;
    /**
     * Open exceptions that match now. 10,000 stands for that many or more. Null: left out of a long list.
     * @minimum 0
     * @format int64
     */
    open_count: number | null;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
};

export type ViewPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: View[];
    next_cursor: NextCursor;
};

export type Webhook = {
    /**
     * Its ID.
     * @pattern ^whk_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * Where events are sent.
     * @maxLength 2048
     */
    url: string;
    description: FreeText;
    /**
     * The event types it subscribes to.
     * @maxItems 32
     */
    events: Open<EventKind>[];
    /**
     * Which events it gets. Empty: all.
     */
    filters: WebhookFilters;
    /**
     * The headers sent with its deliveries. Their values are never returned.
     * @maxItems 10
     */
    header_names: string[];
    /**
     * The maximum number of attempts a minute; others wait. Null: no limit.
     * @minimum 1
     * @maximum 6000
     */
    max_per_minute: number | null;
    /**
     * Where its deliveries get their token.
     */
    oauth: {
        /**
         * The token endpoint.
         * @maxLength 2048
         */
        token_url: string;
        /**
         * The client's ID at that endpoint.
         * @maxLength 200
         */
        client_id: string;
        /**
         * The requested scope.
         * @maxLength 500
         */
        scope?: string;
    } | null;
    /**
     * Its status.
     */
    status: Open<WebhookStatus>;
    /**
     * When it was disabled.
     * @maxLength 24
     * @format date-time
     */
    disabled_at: string | null;
    /**
     * Who disabled it. `system` if its failures did.
     * @maxLength 125
     */
    disabled_by: string | null;
    /**
     * manual: by a user; failing: every attempt failed for 5 days; gone: the receiver responded with 410.
     */
    disabled_reason: Open<WebhookDisabledReason> | null;
    /**
     * A sentence explaining why.
     * @maxLength 1000
     */
    disabled_detail: string | null;
    /**
     * failing: no success since failing_since; degraded: under 95 % success in 24 h; idle: no attempts in 24 h.
     */
    health: Open<WebhookHealth>;
    last_24h: DeliveriesOfDay;
    last_7d: DeliveriesOfWeek;
    /**
     * Every attempt since this time has failed.
     * @maxLength 24
     * @format date-time
     */
    failing_since: string | null;
    /**
     * A failed attempt after this time disables it.
     * @maxLength 24
     * @format date-time
     */
    disable_at: string | null;
    /**
     * The latest successful attempt.
     * @maxLength 24
     * @format date-time
     */
    last_success_at: string | null;
    /**
     * The latest failed attempt.
     * @maxLength 24
     * @format date-time
     */
    last_failure_at: string | null;
    /**
     * Why the last attempt failed, while failing. Null otherwise.
     */
    last_failure_kind: Open<WebhookAttemptFailure> | null;
    /**
     * The next attempt of a waiting delivery.
     * @maxLength 24
     * @format date-time
     */
    next_attempt_at: string | null;
    /**
     * The oldest missed event of the last 30 days. Use recover to resend from here.
     * @maxLength 24
     * @format date-time
     */
    missed_since: string | null;
    /**
     * The last rotation.
     * @maxLength 24
     * @format date-time
     */
    secret_changed_at: string | null;
    /**
     * The previous secret also signs until this time.
     * @maxLength 24
     * @format date-time
     */
    previous_secret_expires_at: string | null;
    created_at: CreationTime;
    created_by: Creator;
    updated_at: ChangeTime;
};

export type WebhookAttempt = {
    /**
     * Its number, from 1.
     * @minimum 1
     * @format int64
     */
    number: number;
    /**
     * Why it was made.
     */
    cause: Open<WebhookAttemptCause>;
    /**
     * interrupted: we stopped before the response arrived; the delivery was sent again.
     */
    status: Open<WebhookAttemptStatus>;
    /**
     * The kind of failure.
     */
    failure_kind: Open<WebhookAttemptFailure> | null;
    /**
     * A sentence explaining what went wrong.
     * @maxLength 1000
     */
    detail: string | null;
    /**
     * When it began.
     * @format date-time
     */
    started_at: string;
    /**
     * Response time.
     * @minimum 0
     * @format int64
     */
    duration_ms: number | null;
    /**
     * The HTTP status of the response.
     * @format int64
     */
    status_code: number | null;
};

export type WebhookAttemptCause = "event" | "retry" | "resend" | "recover";

export type WebhookAttemptFailure = "signature_failed" | "stale_secret" | "timeout" | "connection_failed" | "blocked_address" | "http_error";

export type WebhookAttemptStatus = "in_flight" | "succeeded" | "failed" | "interrupted";

export type WebhookDelivery = {
    /**
     * Its ID.
     * @pattern ^dlv_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The webhook it goes to.
     * @pattern ^whk_[0-9a-z]{20,40}$
     */
    webhook_id: string;
    /**
     * The header webhook-id, the same on every attempt.
     * @pattern ^evt_[0-9a-z]{20,40}$
     */
    event_id: string;
    /**
     * Its type.
     */
    type: Open<EventKind>;
    /**
     * Its status.
     */
    status: Open<WebhookDeliveryStatus>;
    /**
     * The kind of failure.
     */
    failure_kind: Open<WebhookDeliveryFailure> | null;
    /**
     * Why it wasn't delivered, so far or finally.
     * @maxLength 1000
     */
    reason: string | null;
    /**
     * Number of attempts so far.
     * @minimum 0
     * @format int64
     */
    attempt_count: number;
    /**
     * When it is attempted next.
     * @maxLength 24
     * @format date-time
     */
    next_attempt_at: string | null;
    created_at: CreationTime;
    /**
     * When it arrived.
     * @maxLength 24
     * @format date-time
     */
    delivered_at: string | null;
    /**
     * The latest attempt.
     */
    last_attempt: WebhookAttempt | null;
};

export type WebhookDeliveryDetail = {
    /**
     * Its ID.
     * @pattern ^dlv_[0-9a-z]{20,40}$
     */
    id: string;
    /**
     * The webhook it goes to.
     * @pattern ^whk_[0-9a-z]{20,40}$
     */
    webhook_id: string;
    /**
     * The header webhook-id, the same on every attempt.
     * @pattern ^evt_[0-9a-z]{20,40}$
     */
    event_id: string;
    /**
     * Its type.
     */
    type: Open<EventKind>;
    /**
     * Its status.
     */
    status: Open<WebhookDeliveryStatus>;
    /**
     * The kind of failure.
     */
    failure_kind: Open<WebhookDeliveryFailure> | null;
    /**
     * Why it wasn't delivered, so far or finally.
     * @maxLength 1000
     */
    reason: string | null;
    /**
     * Number of attempts so far.
     * @minimum 0
     * @format int64
     */
    attempt_count: number;
    /**
     * When it is attempted next.
     * @maxLength 24
     * @format date-time
     */
    next_attempt_at: string | null;
    created_at: CreationTime;
    /**
     * When it arrived.
     * @maxLength 24
     * @format date-time
     */
    delivered_at: string | null;
    /**
     * The latest attempt.
     */
    last_attempt: WebhookAttempt | null;
    /**
     * The body sent. Null for an API key without the scope to read it.
     */
    payload: {
        /**
         * Its type.
         */
        type: Open<EventKind>;
        timestamp: EventTime;
        /**
         * Only on a test with example data.
         */
        test?: true;
        /**
         * What the event is about.
         */
        data: Record<string, unknown>;
    } | null;
    /**
     * The request that caused the event. Null: the clock or a background job did.
     * @maxLength 64
     */
    request_id: string | null;
    /**
     * Oldest first.
     * @maxItems 1000
     */
    attempts: {
        /**
         * Its number, from 1.
         * @minimum 1
         * @format int64
         */
        number: number;
        /**
         * Why it was made.
         */
        cause: Open<WebhookAttemptCause>;
        /**
         * interrupted: we stopped before the response arrived; the delivery was sent again.
         */
        status: Open<WebhookAttemptStatus>;
        /**
         * The kind of failure.
         */
        failure_kind: Open<WebhookAttemptFailure> | null;
        /**
         * A sentence explaining what went wrong.
         * @maxLength 1000
         */
        detail: string | null;
        /**
         * When it began.
         * @format date-time
         */
        started_at: string;
        /**
         * Response time.
         * @minimum 0
         * @format int64
         */
        duration_ms: number | null;
        /**
         * The HTTP status of the response.
         * @format int64
         */
        status_code: number | null;
        /**
         * Null without a response, and if `payload` is null, because it can repeat the event.
         */
        response: {
            /**
             * The headers.
             */
            headers: Record<string, string>;
            /**
             * The first 16 kB. Untrusted text from the receiver: display it as plain text only.
             * @maxLength 16384
             */
            body: string;
            /**
             * Whether the body was cut.
             */
            truncated: boolean;
        } | null;
    }[];
};

export type WebhookDeliveryFailure = "retries_exhausted" | "webhook_disabled";

export type WebhookDeliveryPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: WebhookDelivery[];
    next_cursor: NextCursor;
    as_of: ResponseTime;
};

export type WebhookDeliveryStatus = "pending" | "sending" | "retrying" | "delivered" | "failed";

export type WebhookDisabledEvent = {
    /**
     * Its type.
     */
    type: "webhook.disabled";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        /**
         * Its ID.
         * @pattern ^whk_[0-9a-z]{20,40}$
         */
        id: string;
        /**
         * Where events are sent.
         * @maxLength 2048
         */
        url: string;
        /**
         * The reason given.
         */
        reason: Open<WebhookDisabledReason>;
        /**
         * The explanation.
         * @maxLength 1000
         */
        detail: string | null;
        /**
         * When it was disabled.
         * @format date-time
         */
        disabled_at: string;
        /**
         * Who disabled it. `system` if its failures did.
         * @maxLength 125
         */
        disabled_by: string;
    };
};

export type WebhookDisabledReason = "manual" | "failing" | "gone";

export type WebhookFailingEvent = {
    /**
     * Its type.
     */
    type: "webhook.failing";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        /**
         * Its ID.
         * @pattern ^whk_[0-9a-z]{20,40}$
         */
        id: string;
        /**
         * Where events are sent.
         * @maxLength 2048
         */
        url: string;
        /**
         * Every attempt since this time has failed.
         * @format date-time
         */
        failing_since: string;
        /**
         * A failed attempt after this time disables it.
         * @format date-time
         */
        disable_at: string;
        /**
         * The explanation.
         * @maxLength 1000
         */
        detail: string;
    };
};

export type WebhookFilterPreview = {
    /**
     * The beginning of the period.
     * @format date-time
     */
    since: string;
    as_of: ResponseTime;
    /**
     * Without the filters.
     * @minimum 0
     * @format int64
     */
    total_count: number;
    /**
     * Items with a counterpart.
     * @minimum 0
     * @format int64
     */
    matched_count: number;
    /**
     * The same for each type of event.
     * @maxItems 23
     */
    by_type: {
        /**
         * Its type.
         */
        type: Open<EventKind>;
        /**
         * Without the filters.
         * @minimum 0
         * @format int64
         */
        total_count: number;
        /**
         * Items with a counterpart.
         * @minimum 0
         * @format int64
         */
        matched_count: number;
    }[];
    /**
     * False if only the newest 20,000 events were checked.
     */
    complete: boolean;
};

export type WebhookFilters = {
    /**
     * An exception's severity.
     * @minItems 1
     * @maxItems 4
     */
    severity?: OrLater<Severity>[];
    /**
     * An exception's assignee.
     * @minItems 1
     * @maxItems 20
     */
    assigned_to?: string[];
    /**
     * An exception's or a match's amount, whatever its sign.
     */
    amount?: {
        /**
         * The ISO 4217 code for amount_minor.
         */
        currency: OrLater<Currency>;
        /**
         * The minimum amount.
         * @minimum 0
         * @format int64
         */
        from_minor: number;
    };
    /**
     * Events about one of these periods.
     * @minItems 1
     * @maxItems 20
     */
    reconciliation_ids?: string[];
    /**
     * Imports of these sources, and events about their periods.
     * @minItems 1
     * @maxItems 20
     */
    source_ids?: string[];
};

export type WebhookHealth = "healthy" | "degraded" | "failing" | "disabled" | "idle";

export type WebhookPage = {
    /**
     * The items.
     * @maxItems 1000
     */
    items: Webhook[];
    next_cursor: NextCursor;
    as_of: ResponseTime;
};

export type WebhookRecovery = {
    /**
     * The beginning of the period.
     * @format date-time
     */
    since: string;
    /**
     * If true, nothing was changed.
     */
    dry_run: boolean;
    /**
     * Deliveries that are resent, or would be.
     * @minimum 0
     * @format int64
     */
    count: number;
};

export type WebhookStats = {
    as_of: ResponseTime;
    /**
     * The last 7 days. Hours without attempts are omitted.
     * @maxItems 169
     */
    hours: {
        /**
         * The beginning of the interval.
         * @format date-time
         */
        start: string;
        /**
         * Attempts answered with a 2xx.
         * @minimum 0
         * @format int64
         */
        succeeded: number;
        /**
         * All other attempts.
         * @minimum 0
         * @format int64
         */
        failed: number;
        /**
         * Median response time, within 5 %.
         * @minimum 0
         * @format int64
         */
        p50_ms: number | null;
        /**
         * 95th percentile of response times, within 5 %.
         * @minimum 0
         * @format int64
         */
        p95_ms: number | null;
    }[];
};

export type WebhookStatus = "active" | "disabled";

export type WebhookTestEvent = {
    /**
     * Its type.
     */
    type: "webhook.test";
    timestamp: EventTime;
    test?: TestMark;
    /**
     * What the event is about.
     */
    data: {
        /**
         * Its ID.
         * @pattern ^whk_[0-9a-z]{20,40}$
         */
        id: string;
        /**
         * The explanation.
         * @maxLength 2000
         */
        message: string;
        /**
         * Who requested it.
         * @maxLength 125
         */
        sent_by: string;
    };
};

export type Weekday = "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";

export type ListAlertChannelsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type ListCalendarsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type ListOpenHoursQuery = {
    /**
     * At or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since: string;
    /**
     * Before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    until: string;
};

export type ListCalendarVersionsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type GetClosingBoardQuery = {
    /**
     * The first month.
     * @minLength 7
     * @pattern ^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$
     */
    from: string;
    /**
     * The last month, at most 11 later.
     * @minLength 7
     * @pattern ^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$
     */
    to: string;
    /**
     * Maximum number of pairs.
     * @minimum 1
     * @maximum 500
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type ListConnectionsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only from this source.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    source_id?: string;
};

export type ListConnectionFilesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type ListEntryBatchesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only in this state.
     */
    state?: EntryBatchState;
    /**
     * Only batches posted in this year.
     * @minimum 1
     * @maximum 9999
     */
    year?: number;
    /**
     * Only items from this reconciliation.
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id?: string;
};

export type ListEntriesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only entries in this currency.
     * @minLength 3
     * @pattern ^[A-Z]{3}$
     */
    currency?: string;
};

export type ExportEntriesQuery = {
    /**
     * Only entries in this currency.
     * @minLength 3
     * @pattern ^[A-Z]{3}$
     */
    currency?: string;
    /**
     * The columns, in this order. By default all.
     * @minItems 1
     * @maxItems 20
     */
    columns?: ("batch_number" | "place" | "posting_date" | "debit_account" | "credit_account" | "amount" | "currency" | "text" | "tax_code" | "cost_center" | "kind" | "value_date" | "reference" | "counterparty" | "amount_minor" | "difference_minor" | "subject_id" | "reverses")[];
    /**
     * CSV (RFC 4180) with a header row, one JSON object per line, or a workbook of at most 20,000 rows.
     */
    format: ExportFormatWithWorkbook;
    /**
     * If true, CSV ends with the line `#end,<rows>` and NDJSON with `{"$end":{"rows":<rows>}}`. A file without it was cut.
     */
    end_mark?: boolean;
};

export type GetLedgerFileQuery = {
    /**
     * The ledger's layout.
     */
    format: "datev" | "xero" | "quickbooks" | "quickbooks_iif" | "netsuite" | "sap";
    /**
     * Required for a batch with several currencies.
     * @minLength 3
     * @pattern ^[A-Z]{3}$
     */
    currency?: string;
    /**
     * Required for a batch with more entries than the ledger accepts in a file: Xero 150, QuickBooks Online 500, NetSuite 12,500, DATEV 99,999, others 100,000.
     * @minimum 1
     * @maximum 9999
     */
    part?: number;
};

export type ListEventsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only these types.
     * @minItems 1
     * @maxItems 20
     */
    types?: EventKind[];
    /**
     * Only events about this ID.
     * @minLength 1
     * @maxLength 64
     */
    subject?: string;
    /**
     * Only events at or after this time, at most 30 days ago.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since?: string;
    /**
     * How many seconds to wait for an event. The response may come sooner.
     * @minimum 0
     * @maximum 20
     */
    wait?: number;
    /**
     * Also list tests.
     */
    test?: boolean;
};

export type ListEvidenceQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * An exception, a match, a line or a reconciliation, which is a period.
     * @pattern ^(?:exc|mat|lin|rcn)_[0-9a-z]{20,40}$
     */
    subject_id: string;
};

export type AddEvidenceQuery = {
    /**
     * An exception, a match, a line or a reconciliation, which is a period.
     * @pattern ^(?:exc|mat|lin|rcn)_[0-9a-z]{20,40}$
     */
    subject_id: string;
    /**
     * The file's name.
     * @minLength 1
     * @maxLength 240
     */
    file_name: string;
    /**
     * A file of the same subject that this one replaces.
     * @pattern ^evd_[0-9a-z]{20,40}$
     */
    supersedes?: string;
};

export type ListExceptionsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only items assigned to this user.
     * @minItems 1
     * @maxItems 20
     */
    assigned_to?: string[];
    /**
     * Only items from this reconciliation.
     * @minItems 1
     * @maxItems 20
     */
    reconciliation_id?: string[];
    /**
     * Only with these reason codes.
     * @minItems 1
     * @maxItems 20
     */
    reason_code?: string[];
    /**
     * Severities.
     * @minItems 1
     * @maxItems 20
     */
    severity?: Severity[];
    /**
     * Only in this currency.
     * @minItems 1
     * @maxItems 20
     */
    currency?: string[];
    /**
     * Only amounts from this on, in minor units.
     * @minimum 0
     * @format int64
     */
    amount_from?: number;
    /**
     * Only deadlines before this time. Paused exceptions have none.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    due_before?: string;
    /**
     * Only exceptions that breached at or after this time, whatever their deadline is now.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_from?: string;
    /**
     * Only exceptions that breached before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_before?: string;
    /**
     * Only exceptions resolved or dismissed at or after this time, even if reopened since.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_from?: string;
    /**
     * Only exceptions resolved or dismissed before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_before?: string;
    /**
     * Text search, up to 12 words: each must appear in the title or reason_code. A word that starts with exc_ must start the ID.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only exceptions at most this many minutes from breach, including breached ones.
     * @minimum 0
     * @format int64
     */
    withinMinutes?: number;
    /**
     * Risks. at_risk matches high and medium, as at_risk_count does.
     * @minItems 1
     * @maxItems 20
     */
    breach_risk?: BreachRiskFilter[];
    /**
     * Only exceptions changed at or after this time. Ask from a minute before your last call: a change appears when it is committed.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    updated_since?: string;
    /**
     * Statuses.
     * @minItems 1
     * @maxItems 20
     */
    status?: ExceptionStatus[];
    /**
     * Newest first. closed_at lists only closed exceptions, last closed first.
     */
    sortBy?: ExceptionSort;
};

export type ExportExceptionsQuery = {
    /**
     * Only items assigned to this user.
     * @minItems 1
     * @maxItems 20
     */
    assigned_to?: string[];
    /**
     * Only items from this reconciliation.
     * @minItems 1
     * @maxItems 20
     */
    reconciliation_id?: string[];
    /**
     * Only with these reason codes.
     * @minItems 1
     * @maxItems 20
     */
    reason_code?: string[];
    /**
     * Severities.
     * @minItems 1
     * @maxItems 20
     */
    severity?: Severity[];
    /**
     * Only in this currency.
     * @minItems 1
     * @maxItems 20
     */
    currency?: string[];
    /**
     * Only amounts from this on, in minor units.
     * @minimum 0
     * @format int64
     */
    amount_from?: number;
    /**
     * Only deadlines before this time. Paused exceptions have none.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    due_before?: string;
    /**
     * Only exceptions that breached at or after this time, whatever their deadline is now.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_from?: string;
    /**
     * Only exceptions that breached before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_before?: string;
    /**
     * Only exceptions resolved or dismissed at or after this time, even if reopened since.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_from?: string;
    /**
     * Only exceptions resolved or dismissed before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_before?: string;
    /**
     * Text search, up to 12 words: each must appear in the title or reason_code. A word that starts with exc_ must start the ID.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only exceptions at most this many minutes from breach, including breached ones.
     * @minimum 0
     * @format int64
     */
    withinMinutes?: number;
    /**
     * Risks. at_risk matches high and medium, as at_risk_count does.
     * @minItems 1
     * @maxItems 20
     */
    breach_risk?: BreachRiskFilter[];
    /**
     * Only exceptions changed at or after this time. Ask from a minute before your last call: a change appears when it is committed.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    updated_since?: string;
    /**
     * Statuses.
     * @minItems 1
     * @maxItems 20
     */
    status?: ExceptionStatus[];
    /**
     * Newest first. closed_at lists only closed exceptions, last closed first.
     */
    sortBy?: ExceptionSort;
    /**
     * CSV (RFC 4180) with a header row, or one JSON object per line.
     */
    format: ExportFormat;
    /**
     * If true, CSV ends with the line `#end,<rows>` and NDJSON with `{"$end":{"rows":<rows>}}`. A file without it was cut.
     */
    end_mark?: boolean;
};

export type ListSlaExceptionsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only items assigned to this user.
     * @minItems 1
     * @maxItems 20
     */
    assigned_to?: string[];
    /**
     * Only items from this reconciliation.
     * @minItems 1
     * @maxItems 20
     */
    reconciliation_id?: string[];
    /**
     * Only with these reason codes.
     * @minItems 1
     * @maxItems 20
     */
    reason_code?: string[];
    /**
     * Severities.
     * @minItems 1
     * @maxItems 20
     */
    severity?: Severity[];
    /**
     * Only in this currency.
     * @minItems 1
     * @maxItems 20
     */
    currency?: string[];
    /**
     * Only amounts from this on, in minor units.
     * @minimum 0
     * @format int64
     */
    amount_from?: number;
    /**
     * Only deadlines before this time. Paused exceptions have none.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    due_before?: string;
    /**
     * Only exceptions that breached at or after this time, whatever their deadline is now.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_from?: string;
    /**
     * Only exceptions that breached before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_before?: string;
    /**
     * Only exceptions resolved or dismissed at or after this time, even if reopened since.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_from?: string;
    /**
     * Only exceptions resolved or dismissed before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_before?: string;
    /**
     * Text search, up to 12 words: each must appear in the title or reason_code. A word that starts with exc_ must start the ID.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only exceptions at most this many minutes from breach, including breached ones.
     * @minimum 0
     * @format int64
     */
    withinMinutes?: number;
    /**
     * Risks. at_risk matches high and medium, as at_risk_count does.
     * @minItems 1
     * @maxItems 20
     */
    breach_risk?: BreachRiskFilter[];
    /**
     * Statuses.
     * @minItems 1
     * @maxItems 20
     */
    status?: OpenExceptionStatus[];
    /**
     * amount sorts by currency, largest amount first; exceptions without an amount come last.
     */
    sortBy?: SlaSort;
};

export type ListSlaChangesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only items assigned to this user.
     * @minItems 1
     * @maxItems 20
     */
    assigned_to?: string[];
    /**
     * Only items from this reconciliation.
     * @minItems 1
     * @maxItems 20
     */
    reconciliation_id?: string[];
    /**
     * Only with these reason codes.
     * @minItems 1
     * @maxItems 20
     */
    reason_code?: string[];
    /**
     * Severities.
     * @minItems 1
     * @maxItems 20
     */
    severity?: Severity[];
    /**
     * Only in this currency.
     * @minItems 1
     * @maxItems 20
     */
    currency?: string[];
    /**
     * Only amounts from this on, in minor units.
     * @minimum 0
     * @format int64
     */
    amount_from?: number;
    /**
     * Only deadlines before this time. Paused exceptions have none.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    due_before?: string;
    /**
     * Only exceptions that breached at or after this time, whatever their deadline is now.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_from?: string;
    /**
     * Only exceptions that breached before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_before?: string;
    /**
     * Only exceptions resolved or dismissed at or after this time, even if reopened since.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_from?: string;
    /**
     * Only exceptions resolved or dismissed before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_before?: string;
    /**
     * Text search, up to 12 words: each must appear in the title or reason_code. A word that starts with exc_ must start the ID.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only exceptions at most this many minutes from breach, including breached ones.
     * @minimum 0
     * @format int64
     */
    withinMinutes?: number;
    /**
     * Risks. at_risk matches high and medium, as at_risk_count does.
     * @minItems 1
     * @maxItems 20
     */
    breach_risk?: BreachRiskFilter[];
    /**
     * Statuses.
     * @minItems 1
     * @maxItems 20
     */
    status?: OpenExceptionStatus[];
    /**
     * The as_of of your list, at most 24 hours ago.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since: string;
};

export type ExportSlaExceptionsQuery = {
    /**
     * Only items assigned to this user.
     * @minItems 1
     * @maxItems 20
     */
    assigned_to?: string[];
    /**
     * Only items from this reconciliation.
     * @minItems 1
     * @maxItems 20
     */
    reconciliation_id?: string[];
    /**
     * Only with these reason codes.
     * @minItems 1
     * @maxItems 20
     */
    reason_code?: string[];
    /**
     * Severities.
     * @minItems 1
     * @maxItems 20
     */
    severity?: Severity[];
    /**
     * Only in this currency.
     * @minItems 1
     * @maxItems 20
     */
    currency?: string[];
    /**
     * Only amounts from this on, in minor units.
     * @minimum 0
     * @format int64
     */
    amount_from?: number;
    /**
     * Only deadlines before this time. Paused exceptions have none.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    due_before?: string;
    /**
     * Only exceptions that breached at or after this time, whatever their deadline is now.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_from?: string;
    /**
     * Only exceptions that breached before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_before?: string;
    /**
     * Only exceptions resolved or dismissed at or after this time, even if reopened since.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_from?: string;
    /**
     * Only exceptions resolved or dismissed before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_before?: string;
    /**
     * Text search, up to 12 words: each must appear in the title or reason_code. A word that starts with exc_ must start the ID.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only exceptions at most this many minutes from breach, including breached ones.
     * @minimum 0
     * @format int64
     */
    withinMinutes?: number;
    /**
     * Risks. at_risk matches high and medium, as at_risk_count does.
     * @minItems 1
     * @maxItems 20
     */
    breach_risk?: BreachRiskFilter[];
    /**
     * Statuses.
     * @minItems 1
     * @maxItems 20
     */
    status?: OpenExceptionStatus[];
    /**
     * amount sorts by currency, largest amount first; exceptions without an amount come last.
     */
    sortBy?: SlaSort;
    /**
     * CSV (RFC 4180) with a header row, or one JSON object per line.
     */
    format: ExportFormat;
    /**
     * If true, CSV ends with the line `#end,<rows>` and NDJSON with `{"$end":{"rows":<rows>}}`. A file without it was cut.
     */
    end_mark?: boolean;
};

export type GetSlaFacetsQuery = {
    /**
     * Only items assigned to this user.
     * @minItems 1
     * @maxItems 20
     */
    assigned_to?: string[];
    /**
     * Only items from this reconciliation.
     * @minItems 1
     * @maxItems 20
     */
    reconciliation_id?: string[];
    /**
     * Only with these reason codes.
     * @minItems 1
     * @maxItems 20
     */
    reason_code?: string[];
    /**
     * Severities.
     * @minItems 1
     * @maxItems 20
     */
    severity?: Severity[];
    /**
     * Only in this currency.
     * @minItems 1
     * @maxItems 20
     */
    currency?: string[];
    /**
     * Only amounts from this on, in minor units.
     * @minimum 0
     * @format int64
     */
    amount_from?: number;
    /**
     * Only deadlines before this time. Paused exceptions have none.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    due_before?: string;
    /**
     * Only exceptions that breached at or after this time, whatever their deadline is now.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_from?: string;
    /**
     * Only exceptions that breached before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    breached_before?: string;
    /**
     * Only exceptions resolved or dismissed at or after this time, even if reopened since.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_from?: string;
    /**
     * Only exceptions resolved or dismissed before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    closed_before?: string;
    /**
     * Text search, up to 12 words: each must appear in the title or reason_code. A word that starts with exc_ must start the ID.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only exceptions at most this many minutes from breach, including breached ones.
     * @minimum 0
     * @format int64
     */
    withinMinutes?: number;
    /**
     * Risks. at_risk matches high and medium, as at_risk_count does.
     * @minItems 1
     * @maxItems 20
     */
    breach_risk?: BreachRiskFilter[];
    /**
     * Statuses.
     * @minItems 1
     * @maxItems 20
     */
    status?: ExceptionStatus[];
    /**
     * Which exceptions to count.
     */
    state?: "open" | "closed" | "all";
};

export type GetSlaReportQuery = {
    /**
     * At or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since: string;
    /**
     * Before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    until: string;
    /**
     * How rows are grouped.
     */
    by?: SlaReportGrouping;
};

export type ExportSlaReportQuery = {
    /**
     * At or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since: string;
    /**
     * Before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    until: string;
    /**
     * How rows are grouped.
     */
    by?: SlaReportGrouping;
    /**
     * CSV (RFC 4180) with a header row, or one JSON object per line.
     */
    format: ExportFormat;
    /**
     * If true, CSV ends with the line `#end,<rows>` and NDJSON with `{"$end":{"rows":<rows>}}`. A file without it was cut.
     */
    end_mark?: boolean;
};

export type ListExceptionCommentsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type ListExceptionHistoryQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type ListHolidaysQuery = {
    /**
     * ISO 3166-1.
     * @minLength 1
     * @maxLength 12
     * @pattern ^[A-Za-z0-9-]+$
     */
    country: string;
    /**
     * One of the response's regions.
     * @minLength 1
     * @maxLength 12
     * @pattern ^[A-Za-z0-9-]+$
     */
    region?: string;
    /**
     * The year.
     * @minimum 1970
     * @maximum 2999
     */
    year: number;
};

export type ListImportsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only from this source.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    source_id?: string;
    /**
     * Only with this status.
     */
    status?: ImportStatus;
};

export type ListIntegrationsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only records with this operation.
     * @maxLength 200
     */
    operation?: string;
    /**
     * Text search, up to 12 words: each matches the beginning of a word in the record's text and numbers.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only records changed at or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    updated_since?: string;
    /**
     * Also deleted records, or only deleted ones. For tenant_admin.
     */
    include_deleted?: DeletedFilter;
};

export type GetIntegrationQuery = {
    /**
     * Also if it is deleted. For tenant_admin.
     */
    include_deleted?: boolean;
};

export type ListLinesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only from this source.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    source_id?: string;
    /**
     * Only lines that it settled or that are open in it.
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id?: string;
    /**
     * The side of the reconciliation.
     */
    side?: LineSide;
    /**
     * Only from this import.
     * @pattern ^imp_[0-9a-z]{20,40}$
     */
    import_id?: string;
    /**
     * outstanding: open and partly matched. In a closed period: as of its close.
     */
    state?: "open" | "partly_matched" | "matched" | "excluded" | "outstanding";
    /**
     * Only in this currency.
     * @pattern ^[A-Z]{3}$
     */
    currency?: string;
    /**
     * Only value dates from this day on.
     */
    date_from?: string | string;
    /**
     * Only value dates to this day.
     */
    date_to?: string | string;
    /**
     * Only amounts from this on, signed, in minor units.
     * @format int64
     */
    amount_from?: number;
    /**
     * Only amounts up to this, signed, in minor units.
     * @format int64
     */
    amount_to?: number;
    /**
     * Only lines that arrived, or whose match, exclusion or exception changed, at or after this time. Use the time of your last call, less ten minutes for calls in progress.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    updated_since?: string;
    /**
     * Words, or parts of words, in reference, counterparty, description or external_id, or an amount such as 12.50 or -12.50.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
};

export type ListLineSuggestionsQuery = {
    /**
     * Required if the line's source is compared with several others.
     * @pattern ^rcn_[0-9a-z]{20,40}$
     */
    reconciliation_id?: string;
};

export type ListSessionsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type ListMembersQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Part of the name.
     * @minLength 1
     * @maxLength 120
     */
    q?: string;
};

export type ListReconciliationsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only with this status.
     */
    status?: ReconciliationStatus;
    /**
     * Only periods that end on or after this day.
     */
    period_from?: string | string;
    /**
     * Only periods that start on or before this day.
     */
    period_to?: string | string;
    /**
     * Only those with this left source.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    left_source_id?: string;
    /**
     * Only those with this right source.
     * @pattern ^src_[0-9a-z]{20,40}$
     */
    right_source_id?: string;
};

export type ListDecisionsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type ListMatchesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only in this state.
     */
    state?: MatchState;
    /**
     * The rule's name, or manual.
     * @minLength 1
     * @maxLength 200
     */
    method?: string;
    /**
     * Only with this shape.
     */
    shape?: MatchShape;
    /**
     * Only from this run.
     * @pattern ^run_[0-9a-z]{20,40}$
     */
    run_id?: string;
    /**
     * Only confirmed matches that lack required evidence.
     */
    missing_evidence?: boolean;
    /**
     * Only with this line.
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    line_id?: string;
    /**
     * Only with a line whose value date is this day or later.
     */
    date_from?: string | string;
    /**
     * Only with a line whose value date is this day or earlier.
     */
    date_to?: string | string;
    /**
     * Only with an amount_minor of at least this.
     * @format int64
     */
    amount_from?: number;
    /**
     * Only with an amount_minor of at most this.
     * @format int64
     */
    amount_to?: number;
    /**
     * Only matches with a line that has these words, or parts of them, in its texts, or this amount.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only matches created or decided at or after this time. Use the time of your last call, less a few minutes for calls in progress. Suggestions that a run withdrew are no longer listed.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    updated_since?: string;
};

export type ExportMatchesQuery = {
    /**
     * Only in this state.
     */
    state?: MatchState;
    /**
     * The rule's name, or manual.
     * @minLength 1
     * @maxLength 200
     */
    method?: string;
    /**
     * Only with this shape.
     */
    shape?: MatchShape;
    /**
     * Only from this run.
     * @pattern ^run_[0-9a-z]{20,40}$
     */
    run_id?: string;
    /**
     * Only confirmed matches that lack required evidence.
     */
    missing_evidence?: boolean;
    /**
     * Only with this line.
     * @pattern ^lin_[0-9a-z]{20,40}$
     */
    line_id?: string;
    /**
     * Only with a line whose value date is this day or later.
     */
    date_from?: string | string;
    /**
     * Only with a line whose value date is this day or earlier.
     */
    date_to?: string | string;
    /**
     * Only with an amount_minor of at least this.
     * @format int64
     */
    amount_from?: number;
    /**
     * Only with an amount_minor of at most this.
     * @format int64
     */
    amount_to?: number;
    /**
     * Only matches with a line that has these words, or parts of them, in its texts, or this amount.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only matches created or decided at or after this time. Use the time of your last call, less a few minutes for calls in progress. Suggestions that a run withdrew are no longer listed.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    updated_since?: string;
    /**
     * CSV (RFC 4180) with a header row, or one JSON object per line.
     */
    format: ExportFormat;
    /**
     * If true, CSV ends with the line `#end,<rows>` and NDJSON with `{"$end":{"rows":<rows>}}`. A file without it was cut.
     */
    end_mark?: boolean;
};

export type ListOpenLinesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only lines of this side.
     */
    side?: LineSide;
    /**
     * The sort order.
     */
    sort?: "value_date" | "amount";
    /**
     * Only in this currency.
     * @pattern ^[A-Z]{3}$
     */
    currency?: string;
    /**
     * Only value dates from this day on.
     */
    date_from?: string | string;
    /**
     * Only value dates to this day.
     */
    date_to?: string | string;
    /**
     * Only open amounts from this on, signed, in minor units.
     * @format int64
     */
    amount_from?: number;
    /**
     * Only open amounts up to this, signed, in minor units.
     * @format int64
     */
    amount_to?: number;
    /**
     * Only lines with a suggested match, or only those without.
     */
    suggested?: boolean;
    /**
     * Words, or parts of words, in reference, counterparty, description or external_id, or an amount such as 12.50 or -12.50.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
};

export type ListRunsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only with this status.
     */
    status?: RunStatus;
};

export type ExportStatementQuery = {
    /**
     * Also the lines of every match of the period.
     */
    matches?: boolean;
    /**
     * CSV (RFC 4180) with a header row, one JSON object per line, or a workbook of at most 20,000 rows.
     */
    format: ExportFormatWithWorkbook;
    /**
     * If true, CSV ends with the line `#end,<rows>` and NDJSON with `{"$end":{"rows":<rows>}}`. A file without it was cut.
     */
    end_mark?: boolean;
};

export type ListSignedStatementsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type SampleSuggestionsQuery = {
    /**
     * The rule's name.
     * @minLength 1
     * @maxLength 200
     */
    method: string;
    /**
     * Only scores from this on.
     * @minimum 0
     * @maximum 1
     */
    score_from?: number;
    /**
     * Only scores below this.
     * @minimum 0
     * @maximum 1
     */
    score_below?: number;
};

export type ListReleaseNotesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only records with this operation.
     * @maxLength 200
     */
    operation?: string;
    /**
     * Text search, up to 12 words: each matches the beginning of a word in the record's text and numbers.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only records changed at or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    updated_since?: string;
    /**
     * Also deleted records, or only deleted ones. For tenant_admin.
     */
    include_deleted?: DeletedFilter;
};

export type GetReleaseNoteQuery = {
    /**
     * Also if it is deleted. For tenant_admin.
     */
    include_deleted?: boolean;
};

export type ListRequestsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * failed: 4xx and 5xx. refused: rejected before it ran.
     */
    status?: CallResult;
    /**
     * Only calls of this operation.
     * @maxLength 80
     * @pattern ^[a-zA-Z]+$
     */
    operation?: string;
    /**
     * Only calls with this kind of credential.
     */
    credential?: CallCredential;
    /**
     * Only with this API key.
     * @pattern ^key_[0-9a-z]{20,40}$
     */
    api_key_id?: string;
    /**
     * Only by this actor.
     * @minLength 1
     * @maxLength 200
     */
    actor?: string;
    /**
     * Only with this error.
     */
    error_code?: ErrorCode;
    /**
     * The ID in the path, or that of the created resource.
     * @minLength 1
     * @maxLength 200
     */
    resource?: string;
    /**
     * At or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since?: string;
    /**
     * Requests before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    until?: string;
    /**
     * Only this request.
     * @pattern ^req_[0-9a-z]{20,40}$
     */
    request_id?: string;
};

export type GetRequestStatsQuery = {
    /**
     * failed: 4xx and 5xx. refused: rejected before it ran.
     */
    status?: CallResult;
    /**
     * Only calls of this operation.
     * @maxLength 80
     * @pattern ^[a-zA-Z]+$
     */
    operation?: string;
    /**
     * Only calls with this kind of credential.
     */
    credential?: CallCredential;
    /**
     * Only with this API key.
     * @pattern ^key_[0-9a-z]{20,40}$
     */
    api_key_id?: string;
    /**
     * Only by this actor.
     * @minLength 1
     * @maxLength 200
     */
    actor?: string;
    /**
     * Only with this error.
     */
    error_code?: ErrorCode;
    /**
     * The ID in the path, or that of the created resource.
     * @minLength 1
     * @maxLength 200
     */
    resource?: string;
    /**
     * At or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since?: string;
    /**
     * Requests before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    until?: string;
};

export type ListSecurityEventsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * A type, or a whole category: api_key.*
     * @maxLength 200
     * @pattern ^[a-z_]+(\.[a-z_]+)*(\.\*)?$
     */
    type?: string;
    /**
     * Only by this actor.
     * @minLength 1
     * @maxLength 200
     */
    actor?: string;
    /**
     * Only about this target.
     * @minLength 1
     * @maxLength 200
     */
    target?: string;
    /**
     * Words in the actor, the target's name or ID, its period or the reason.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * true: only calls across tenants. false: only calls within the tenant.
     */
    cross_tenant?: boolean;
    /**
     * At or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since?: string;
    /**
     * Events before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    until?: string;
};

export type ExportSecurityEventsQuery = {
    /**
     * A type, or a whole category: api_key.*
     * @maxLength 200
     * @pattern ^[a-z_]+(\.[a-z_]+)*(\.\*)?$
     */
    type?: string;
    /**
     * Only by this actor.
     * @minLength 1
     * @maxLength 200
     */
    actor?: string;
    /**
     * Only about this target.
     * @minLength 1
     * @maxLength 200
     */
    target?: string;
    /**
     * Words in the actor, the target's name or ID, its period or the reason.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * true: only calls across tenants. false: only calls within the tenant.
     */
    cross_tenant?: boolean;
    /**
     * At or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since?: string;
    /**
     * Events before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    until?: string;
    /**
     * CSV (RFC 4180) with a header row, or one JSON object per line.
     */
    format: ExportFormat;
    /**
     * If true, CSV ends with the line `#end,<rows>` and NDJSON with `{"$end":{"rows":<rows>}}`. A file without it was cut.
     */
    end_mark?: boolean;
};

export type ListSourcesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only of this kind.
     */
    kind?: SourceKind;
    /**
     * Words in the name.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
};

export type ListSourceBalancesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type CreateImportQuery = {
    /**
     * Overrides the detected format.
     */
    format?: ImportFormat;
    /**
     * If true, nothing is saved: the response shows what the import would do.
     */
    preview?: boolean;
    /**
     * The file's name.
     * @minLength 1
     * @maxLength 255
     */
    file_name?: string;
    /**
     * A mapping as JSON, instead of the source's.
     * @maxLength 8000
     */
    mapping?: string;
};

export type ListApiKeysQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only with this status.
     */
    status?: ApiKeyStatus;
    /**
     * Part of the name or key_id, or the ID.
     * @minLength 1
     * @maxLength 120
     */
    q?: string;
};

export type ListInvitationsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only with this status.
     */
    status?: InvitationStatus;
};

export type ListTenantMembersQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Part of the email address.
     * @minLength 1
     * @maxLength 120
     */
    q?: string;
};

export type ListTroubleshootingQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only records with this operation.
     * @maxLength 200
     */
    operation?: string;
    /**
     * Text search, up to 12 words: each matches the beginning of a word in the record's text and numbers.
     * @minLength 1
     * @maxLength 200
     */
    q?: string;
    /**
     * Only records changed at or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    updated_since?: string;
    /**
     * Also deleted records, or only deleted ones. For tenant_admin.
     */
    include_deleted?: DeletedFilter;
};

export type GetTroubleshootingGuideQuery = {
    /**
     * Also if it is deleted. For tenant_admin.
     */
    include_deleted?: boolean;
};

export type ListViewsQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
};

export type ListDeliveriesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only this webhook's deliveries.
     * @pattern ^whk_[0-9a-z]{20,40}$
     */
    webhook_id?: string;
    /**
     * Only with this status.
     */
    status?: WebhookDeliveryStatus;
    /**
     * Only of this type.
     */
    type?: EventKind;
    /**
     * The webhook-id header, as logged by the receiver.
     * @pattern ^evt_[0-9a-z]{20,40}$
     */
    event_id?: string;
    /**
     * At or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since?: string;
    /**
     * Before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    until?: string;
    /**
     * Only deliveries of events that this request caused.
     * @pattern ^req_[0-9a-z]{20,40}$
     */
    request_id?: string;
};

export type ListWebhooksQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only with this status.
     */
    status?: WebhookStatus;
};

export type ListWebhookDeliveriesQuery = {
    /**
     * Maximum number of items.
     * @minimum 1
     * @maximum 250
     */
    limit?: number;
    /**
     * next_cursor from the previous page, unchanged.
     * @minLength 1
     * @maxLength 2000
     */
    cursor?: string;
    /**
     * Only with this status.
     */
    status?: WebhookDeliveryStatus;
    /**
     * Only of this type.
     */
    type?: EventKind;
    /**
     * The webhook-id header, as logged by the receiver.
     * @pattern ^evt_[0-9a-z]{20,40}$
     */
    event_id?: string;
    /**
     * At or after this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    since?: string;
    /**
     * Before this time.
     * @pattern (?:Z|\+00:00)$
     * @format date-time
     */
    until?: string;
};
