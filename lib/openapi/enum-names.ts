import { ALERT_SCOPES, CHANNEL_KINDS } from "../alerts/contract.ts";
import { API_KEY_STATUSES } from "../api-keys/contract.ts";
import { WEEKDAYS } from "../calendars/contract.ts";
import { ENTRY_BATCH_STATES } from "../entries/contract.ts";
import { PUSH_FORMATS } from "../entries/rules/contract.ts";
import { EXCEPTION_SORTS, SLA_SORTS } from "../exceptions/contract.ts";
import { slaReport } from "../exceptions/report/contract.ts";
import { THRESHOLD_KINDS } from "../exceptions/sla/contract.ts";
import { IMPORT_STATUSES } from "../imports/contract.ts";
import { FORMATS } from "../imports/formats/mapping.ts";
import { SKIP_REASONS, WARNING_CODES } from "../imports/formats/skip-reasons.ts";
import { INVITATION_STATUSES } from "../invitations/contract.ts";
import { PERIOD_STATES } from "../matching/closing-board/contract.ts";
import { ADJUSTMENT_KINDS, MATCH_STATES, SHAPES, SIDES } from "../matching/contract.ts";
import { AUTOMATIC, FEES } from "../matching/rules/contract.ts";
import { RUN_STATUSES, STEP_KINDS } from "../matching/runs/contract.ts";
import { CHECK_WEIGHTS } from "../matching/sign-off/contract.ts";
import { STATUS_CLASSES } from "../request-log/contract.ts";
import { WEBHOOK_HEALTHS } from "../webhooks/contract.ts";
import { DELIVERY_STATUSES } from "../webhooks/deliveries/contract.ts";
import { ROLES } from "../wire/access.ts";
import { CONFLICT_REASONS } from "../wire/conflicts.ts";
import { EXPORT_FORMATS } from "../wire/contract.ts";
import { CURRENCIES } from "../wire/currencies.ts";
import { ERROR_CODES } from "../wire/errors.ts";
import { EVENT_KINDS } from "../wire/event-kinds.ts";
import {
  BREACH_RISKS,
  CONNECTIONS,
  ENTRY_KINDS,
  EXCEPTIONS,
  OPEN_EXCEPTION_STATUSES,
  RECONCILIATIONS,
  REQUEST_LOG,
  SOURCES,
  WEBHOOK_ATTEMPTS,
  WEBHOOK_DELIVERIES,
  WEBHOOKS,
} from "../wire/facts.gen.ts";
import { SCOPES } from "../wire/scopes.ts";

/** The names of enums that occur in several schemas, as types of generated clients. */
const NAMED: Record<string, readonly string[]> = {
  AdjustmentKind: ADJUSTMENT_KINDS,
  AlertChannelKind: CHANNEL_KINDS,
  AlertScope: ALERT_SCOPES,
  ApiKeyStatus: API_KEY_STATUSES,
  AutomaticMatching: AUTOMATIC,
  BreachRisk: BREACH_RISKS,
  BreachRiskFilter: [...BREACH_RISKS, "at_risk"],
  CallCredential: REQUEST_LOG.credential,
  CallResult: STATUS_CLASSES,
  CheckWeight: CHECK_WEIGHTS,
  ConflictReason: CONFLICT_REASONS,
  ConnectionAuth: CONNECTIONS.auth,
  ConnectionKind: CONNECTIONS.kind,
  FileAfterwards: CONNECTIONS.afterwards,
  BoardPeriodState: PERIOD_STATES,
  Currency: CURRENCIES,
  EntryBatchState: ENTRY_BATCH_STATES,
  EntryPushFormat: PUSH_FORMATS,
  EntryKind: ENTRY_KINDS,
  ErrorCode: ERROR_CODES,
  EventKind: EVENT_KINDS,
  ExceptionSort: EXCEPTION_SORTS,
  ExceptionStatus: EXCEPTIONS.status,
  ExportFormat: EXPORT_FORMATS,
  ExportFormatWithWorkbook: [...EXPORT_FORMATS, "xlsx"],
  FeeHandling: FEES,
  ImportFormat: FORMATS,
  ImportStatus: IMPORT_STATUSES,
  ImportWarning: WARNING_CODES,
  InvitationStatus: INVITATION_STATUSES,
  LineSide: SIDES,
  MatchShape: SHAPES,
  MatchState: MATCH_STATES,
  OpenExceptionStatus: OPEN_EXCEPTION_STATUSES,
  ReconciliationStatus: RECONCILIATIONS.status,
  Role: ROLES,
  RunChange: ["newly_matched", "no_longer_matched", "changed"],
  RunStatus: RUN_STATUSES,
  Scope: SCOPES,
  Severity: EXCEPTIONS.severity,
  SkipReason: SKIP_REASONS,
  SlaReportGrouping: slaReport.shape.by.options,
  SlaSort: SLA_SORTS,
  SourceKind: SOURCES.kind,
  SourceSign: SOURCES.sign,
  StepKind: STEP_KINDS,
  TenantMemberStatus: ["active", "suspended"],
  ThresholdKind: THRESHOLD_KINDS,
  ValueSign: ["plus", "minus"],
  WebhookAttemptCause: WEBHOOK_ATTEMPTS.cause,
  WebhookAttemptFailure: WEBHOOK_ATTEMPTS.failure_kind,
  WebhookAttemptStatus: WEBHOOK_ATTEMPTS.status,
  WebhookDeliveryFailure: WEBHOOK_DELIVERIES.failure_kind,
  WebhookDeliveryStatus: DELIVERY_STATUSES,
  WebhookDisabledReason: WEBHOOKS.disabled_reason,
  WebhookHealth: WEBHOOK_HEALTHS,
  WebhookStatus: WEBHOOKS.status,
  Weekday: WEEKDAYS,
  DeletedFilter: ["true", "false", "only"],
};

const NAMES = new Map(Object.entries(NAMED).map(([name, values]) => [keyOf(values), name]));

export function enumNameOf(key: string): string | undefined {
  return NAMES.get(key);
}

/** The values in a fixed order, which identify an enum. */
export function keyOf(values: readonly string[]): string {
  return values.toSorted().join(" ");
}
