/** Seconds after which a conflict that resolves by itself is worth another try. */
const SOON = 2;
const LATER = 15;

type Conflict = { means: string; retryAfterSeconds: number | null };

const passes = (means: string, retryAfterSeconds: number): Conflict => ({
  means,
  retryAfterSeconds,
});
const stays = (means: string): Conflict => ({ means, retryAfterSeconds: null });

/**
 * The reasons of a 409 `conflict`: what each means, and whether it resolves by itself, so that the
 * same call succeeds later. The database's functions name them (`private.refuse_conflict`), and
 * OpenAPI and the docs are derived from them.
 */
export const CONFLICTS = {
  run_under_way: passes("A run of the period is under way.", SOON),
  preparing: passes("The lines of a new reconciliation are still being prepared.", SOON),
  lines_changing: passes("Lines of its sources are coming in or being removed.", SOON),
  closing: passes("A period of its sources is being closed.", SOON),
  delivery_under_way: passes("The delivery is being sent.", LATER),
  import_queue_full: passes("Too many imports are waiting.", LATER),
  sandbox_busy: passes("A job or another call is changing the sandbox.", SOON),
  quota: stays("There can't be more of these. `detail` names the limit."),
  count_changed: stays("The filter matches another number than `expected_count`."),
  state_changed: stays("Some of it is no longer in the state that the change needs."),
  paused: stays("The exception is paused. Resume it first."),
  not_paused: stays("The exception isn't paused."),
  cannot_pause: stays("The exception is closed or paused, or the policy allows no further pause."),
  no_sources: stays("The reconciliation has no sources, so it has no lines to match."),
  periods_overlap: stays("Another period of the same sources covers some of these days."),
  has_decisions: stays("The period has matches or excluded lines, so its dates can't be changed."),
  counts_computed: stays("The counts are computed from lines and can't be set."),
  close_required: stays("A reconciliation with sources is completed by closing it."),
  period_closed: stays("The period is closed. Reopen it first."),
  not_closed: stays("The period isn't closed."),
  archived: stays("The reconciliation is archived, which is final."),
  earlier_period_open: stays("An earlier period of the same sources is open. Close it first."),
  later_period_closed: stays("A later period of the same sources is closed. Reopen it first."),
  second_person_required: stays("You worked in this period, so someone else has to close it."),
  checklist_incomplete: stays("The policy asks for something that is missing. See the checklist."),
  signatures_missing: stays("The period has to be prepared and reviewed first."),
  already_prepared: stays("The period is prepared. Return it to prepare it again."),
  not_prepared: stays("Nobody has prepared the period."),
  already_reviewed: stays("The period has all the reviews that its policy asks for."),
  evidence_signed: stays("A signed statement lists the file. Add one that supersedes it."),
  already_superseded: stays("Another file has superseded it."),
  already_exported: stays("The batch was marked as exported already."),
  no_push: stays("The entry rules name no connection to push to."),
  unsuitable_entry: stays("The ledger's layout can't hold an entry. `detail` says which and why."),
  stated_by_file: stays("A file states the balance. Undo its import to remove it."),
  proof_broken: stays("The lines don't add up. Contact us."),
  difference_unexplained: stays("The statement has a difference that nothing explains."),
  line_not_open: stays("Nothing of the line is open in the period."),
  not_excluded: stays("The line isn't excluded."),
  excluded_elsewhere: stays("Another period excluded part of the line."),
  no_open_period: stays("No period is open for the day of the line."),
  source_has_lines: stays("The source has lines, which fix its currency and sign."),
  already_undone: stays("It was undone already."),
  import_failed: stays("The import failed, so there is nothing to undo."),
  not_fetched: stays("A connection by mail gets its files by itself."),
  source_connected: stays("The source has a connection already."),
  host_key_changed: stays("The server presented a different host key. Set `host_key` to resume."),
  webhook_disabled: stays("The webhook is disabled. Enable it first."),
  revoked: stays("The API key is revoked."),
  expired: stays("The API key has expired."),
  already_rotated: stays("The API key was rotated. `rotated_to` names its successor."),
  last_admin: stays("The tenant needs at least one admin."),
  already_member: stays("The person is already a member."),
  same_name: stays("Another member has the same name, so their exceptions can't be told apart."),
  too_many_exceptions: stays("The member has too many open exceptions to hand over."),
  invitation_open: stays("The address has an open invitation."),
  invitation_ended: stays("The invitation was accepted or revoked."),
  sign_in_required: stays("The address has an account. Sign in to accept the invitation."),
  tenant_kind: stays("Only a live tenant, or only a sandbox, can do it. `detail` says which."),
  managed_elsewhere: stays("Your identity provider manages it."),
} as const satisfies Record<string, Conflict>;

export type ConflictReason = keyof typeof CONFLICTS;

export const CONFLICT_REASONS = Object.keys(CONFLICTS) as ConflictReason[];

export function isConflictReason(text: unknown): text is ConflictReason {
  return typeof text === "string" && Object.hasOwn(CONFLICTS, text);
}
