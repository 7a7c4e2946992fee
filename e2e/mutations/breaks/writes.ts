import type { Break } from "../break.ts";

const LIFECYCLE = "e2e/api/api-keys/lifecycle.test.ts";
const CONCURRENCY = "e2e/api/records/concurrency.test.ts";
const PAUSES = "e2e/api/sla/pauses.test.ts";
const CLOCK = "e2e/api/sla/clock.test.ts";

/** What a write must do once, completely and in order. */
export const WRITES: Break[] = [
  {
    name: "idempotency-mismatch-passed",
    effect: "another request under the same key gets the first one's answer",
    patch: {
      function: "private.begin_write",
      replace: "if stored.fingerprint <> key ->> 'fingerprint' then",
      by: "if false then",
    },
    killedBy: {
      file: "e2e/api/contracts/idempotency.test.ts",
      name: "createException the same key for another request is 422",
    },
  },
  {
    name: "idempotent-answer-forgotten",
    effect: "a repeated request gets no body",
    patch: {
      function: "private.finish_request",
      replace: "set answer = body",
      by: "set answer = null",
    },
    killedBy: {
      file: "e2e/api/contracts/idempotency.test.ts",
      name: "createReconciliation the same key and request replay the first response",
    },
  },
  {
    name: "grace-of-a-key-ignored",
    effect: "a rotated key lives a day longer than asked",
    patch: {
      function: "public.rotate_api_key",
      replace: "now() + make_interval(secs => (input ->> 'grace_period_seconds')::integer)",
      by: "now() + interval '1 day'",
    },
    killedBy: { file: LIFECYCLE, name: "ends the old key at once with a grace period of 0" },
  },
  {
    name: "key-not-locked",
    effect: "two rotations at once both succeed",
    patch: {
      function: "private.lock_api_key",
      replace: "api_keys.id = $1 for update;",
      by: "api_keys.id = $1;",
    },
    killedBy: { file: LIFECYCLE, name: "accepts one of two concurrent rotations" },
  },
  {
    name: "revocation-not-seen",
    effect: "a revoked key works on",
    patch: {
      function: "private.find_api_key",
      replace: "api_key.revoked_at is not null",
      by: "false",
    },
    killedBy: {
      file: LIFECYCLE,
      name: "refuses the next call here at once, and every call elsewhere within a second",
    },
  },
  {
    name: "expiry-announced-again",
    effect: "each run tells of the same expiry",
    patch: {
      function: "private.announce_expiring_api_keys",
      replace: "format('%s:%s:%s', expiring.id,",
      by: "format('%s:%s:%s', gen_random_uuid(),",
    },
    killedBy: {
      file: "e2e/api/api-keys/usage.test.ts",
      name: "announces the key's expiry 14, 3 and 1 days ahead, once each",
    },
  },
  {
    name: "if-match-ignored",
    effect: "a change goes over one that its maker never saw",
    patch: {
      function: "private.require_version",
      replace: "if jsonb_typeof(versions) = 'array' and not versions @> to_jsonb(version) then",
      by: "if false then",
    },
    killedBy: {
      file: CONCURRENCY,
      name: "rejects another version, a weak tag and a malformed one",
    },
  },
  {
    name: "record-not-locked",
    effect: "of two changes at once one is lost",
    patch: { function: "private.lock_record", replace: "for no key update;", by: ";" },
    killedBy: {
      file: CONCURRENCY,
      name: "forty concurrent changes of forty fields are all applied",
    },
  },
  {
    name: "purge-a-day-early",
    effect: "a deleted record goes before its 30 days",
    patch: {
      function: "private.record_purge_at",
      replace: "private.record_retention()",
      by: "interval '700 hours'",
    },
    killedBy: {
      file: "e2e/api/records/deletion.test.ts",
      name: "the database refuses an earlier deletion, even to its owner",
    },
  },
  {
    name: "closed-exception-moved",
    effect: "a resolved exception can be dismissed",
    patch: {
      function: "private.exception_may_move",
      replace: "('resolved', 'open'), ('dismissed', 'open')",
      by: "('resolved', 'open'), ('dismissed', 'open'), ('resolved', 'dismissed')",
    },
    killedBy: {
      file: "e2e/api/sla/workflow.test.ts",
      name: "allows only the defined transitions",
    },
  },
  {
    name: "an-hour-is-high",
    effect: "60 minutes before the breach is high, not medium",
    patch: {
      function: "private.exception_json",
      replace: "minutes < private.high_risk_below()",
      by: "minutes <= private.high_risk_below()",
    },
    killedBy: {
      file: "e2e/api/sla/monitor.test.ts",
      name: "shows a deadline in 59 min 30 s as medium",
    },
  },
  {
    name: "crossing-told-twice",
    effect: "a crossing has no one name",
    patch: {
      function: "private.announce_crossings",
      replace: `concat_ws(':', crosses.exception_id, private.iso(crosses.due_at),
        crosses.boundary)`,
      by: "concat_ws(':', gen_random_uuid()::text, private.iso(crosses.due_at), crosses.boundary)",
    },
    killedBy: {
      file: CLOCK,
      name: "is stopped by a resolution, started by a reopening, and never repeats",
    },
  },
  {
    name: "clock-locked-late",
    effect: "a clock that a worker advances during the change is counted twice",
    patch: {
      function: "private.update_clocks",
      replace: "order by clock.tenant_id, clock.exception_id for update of clock;",
      by: "order by clock.tenant_id, clock.exception_id;",
    },
    killedBy: {
      file: CLOCK,
      name:
        "counts an exception once that is moved to another " +
        "deadline while a worker reports its crossing",
    },
  },
  {
    name: "thresholds-not-armed",
    effect: "a moved clock forgets its next boundary",
    patch: {
      function: "private.move_clocks",
      replace: "next_at = fresh_clock.next_at",
      by: "next_at = null",
    },
    killedBy: { file: CLOCK, name: "re-arms the crossings ahead when due_at moves" },
  },
  {
    name: "crossing-reported-again-after-a-pause",
    effect: "resuming reports what was crossed before the pause",
    patch: {
      function: "private.move_clocks",
      replace: "coalesce(clock.held_position, clock.position)\n        then",
      by: "clock.position then",
    },
    killedBy: {
      file: PAUSES,
      name: "restores exactly the time left, and never repeats earlier crossings",
    },
  },
  {
    name: "change-dated-before-the-one-it-waited-for",
    effect: "a pause that is over before it began brings the deadline nearer",
    patch: {
      function: "private.edited_exception",
      replace: "greatest(date_trunc('milliseconds', now()), before.updated_at)",
      by: "date_trunc('milliseconds', now())",
    },
    killedBy: {
      file: PAUSES,
      name: "never ends before it started, even if the ending client began first",
    },
  },
  {
    name: "changed-time-zone-unnoticed",
    effect: "deadlines stay where older time zone data put them",
    patch: {
      function: "private.rebuild_calendars",
      replace:
        "outdated.zone_print <> private.zone_print(outdated.time_zone, outdated.covered_from,\n" +
        "      outdated.covered_until)",
      by: "false",
    },
    killedBy: {
      file: "e2e/api/calendars/time-zones.test.ts",
      name: "recomputes open deadlines when time zone data changes, except manual and passed ones",
    },
  },
  {
    name: "breached-exception-paused",
    effect: "a pause hides a breach",
    patch: {
      function: "private.pause_fault",
      replace: "when private.deadline(exception, now()) <= now() then",
      by: "when false then",
    },
    killedBy: { file: PAUSES, name: "is refused for a breached one" },
  },
  {
    name: "pause-forgotten-by-a-recalculation",
    effect: "a changed calendar takes from a deadline what was paused before",
    patch: {
      function: "private.policy_deadline",
      replace: "+ minutes * 60000::bigint\n      + paused)",
      by: "+ minutes * 60000::bigint)",
    },
    killedBy: {
      file: "e2e/api/sla/business-ledger.test.ts",
      name: "equals the manual calculation for an exception with every kind of change",
    },
  },
  {
    name: "pause-of-a-person-ended-by-a-rule",
    effect: "a rule of the SLA policy ends a pause that a person began",
    patch: {
      function: "private.with_pause_ended",
      replace: "has_moved and before.paused_by_rule and",
      by: "has_moved and",
    },
    killedBy: { file: PAUSES, name: "that a person started outlasts every rule" },
  },
  {
    name: "taken-back-and-still-matched",
    effect: "a confirmation is taken back, and its lines stay matched",
    patch: {
      function: "private.return_to_suggestions",
      replace: "perform private.release_open_amounts(tenant, ids);",
      by: "",
    },
    killedBy: {
      file: "e2e/api/matching/taking-back.test.ts",
      name: "turns confirmed matches into suggestions",
    },
  },
  {
    name: "split-line-matched-whole",
    effect: "a split line has nothing open, though the other side has less",
    patch: {
      function: "private.take_lines_by_hand",
      replace:
        "case when pair_line.line_no = split_no then split_minor else pair_line.open_minor end",
      by: "pair_line.open_minor",
    },
    killedBy: {
      file: "e2e/api/matching/taking-back.test.ts",
      name: "keeps the unmatched part open",
    },
  },
  {
    name: "anybody-undoes",
    effect: "an analyst takes back what a lead decided",
    patch: {
      function: "public.undo_decision",
      replace: "is distinct from (private.actor_issuer(), private.actor_subject())",
      by: "is null",
    },
    killedBy: {
      file: "e2e/api/matching/taking-back.test.ts",
      name: "can be undone only by its author, or with permission to write reconciliations",
    },
  },
  {
    name: "bulk-not-confirmed",
    effect: "a change of all that match takes more than were confirmed",
    patch: {
      function: "private.require_expected_count",
      replace: "if matching <> (input ->> 'expected_count')::bigint then",
      by: "if false then",
    },
    killedBy: {
      file: "e2e/api/sla/bulk-by-filter.test.ts",
      name: "nothing changes if another number matches than was confirmed",
    },
  },
  {
    name: "exceptions-left-behind",
    effect: "a close or a reopening leaves exceptions in the period that their lines left",
    patch: {
      function: "private.move_exceptions",
      replace: "from unnest(ids) item (id) order by item.id",
      by: "from unnest(ids) item (id) where item.id is null order by item.id",
    },
    killedBy: {
      file: "e2e/api/matching/random-months.test.ts",
      name:
        "after any close, reopening or late line, open " +
        "lines have exceptions in their own period",
    },
  },
  {
    name: "entries-posted-twice",
    effect: "a period that closes again posts what still holds once more",
    patch: {
      function: "private.insert_entries",
      replace: `from drafts draft left join kept keeps using (kind, subject_id, subject_place)\n
        where keeps.kind is null`,
      by: "from drafts draft",
    },
    killedBy: {
      file: "e2e/api/entries/entries.test.ts",
      name: "again posts only changes: reversals, then new entries",
    },
  },
  {
    name: "file-imported-under-two-names",
    effect: "a connection imports the same content again under another name",
    patch: {
      function: "private.finish_file",
      replace: `and connection_files.sha256 = whole ->> 'sha256'
      and connection_files.outcome in ('importing', 'imported')`,
      by: "and connection_files.sha256 = whole ->> 'sha256' and false",
    },
    killedBy: {
      file: "e2e/api/connections/connections.test.ts",
      name: "are imported once each, whatever their names, and moved afterwards",
    },
  },
  {
    name: "signed-evidence-removed",
    effect: "a file that a signed statement lists can be removed",
    patch: {
      function: "public.remove_evidence",
      replace: "(answer ->> 'is_signed')::boolean",
      by: "false",
    },
    killedBy: {
      file: "e2e/api/evidence/evidence.test.ts",
      name: "evidence of a signed statement stays after a reopening, and can be superseded",
    },
  },
];
