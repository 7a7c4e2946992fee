import * as alerts from "../alerts/contract.ts";
import * as apiKeys from "../api-keys/contract.ts";
import * as calendars from "../calendars/contract.ts";
import * as connections from "../connections/contract.ts";
import * as entries from "../entries/contract.ts";
import * as entryRules from "../entries/rules/contract.ts";
import * as events from "../events/feed/contract.ts";
import * as evidence from "../evidence/contract.ts";
import * as bulk from "../exceptions/bulk/contract.ts";
import * as comments from "../exceptions/comments/contract.ts";
import * as exceptions from "../exceptions/contract.ts";
import * as history from "../exceptions/history/contract.ts";
import * as exceptionImport from "../exceptions/import/contract.ts";
import * as pauses from "../exceptions/pauses/contract.ts";
import * as slaReport from "../exceptions/report/contract.ts";
import * as sla from "../exceptions/sla/contract.ts";
import * as firstSteps from "../first-steps/contract.ts";
import * as imports from "../imports/contract.ts";
import * as invitations from "../invitations/contract.ts";
import * as lines from "../lines/contract.ts";
import * as bands from "../matching/bands/contract.ts";
import * as bundles from "../matching/bundles/contract.ts";
import * as closingBoard from "../matching/closing-board/contract.ts";
import * as matching from "../matching/contract.ts";
import * as matchingLines from "../matching/lines/contract.ts";
import * as periods from "../matching/periods/contract.ts";
import * as rules from "../matching/rules/contract.ts";
import * as runs from "../matching/runs/contract.ts";
import * as signOff from "../matching/sign-off/contract.ts";
import * as statementPdf from "../matching/statement-pdf/contract.ts";
import * as workbench from "../matching/workbench/contract.ts";
import * as members from "../members/contract.ts";
import * as overview from "../overview/contract.ts";
import * as reconciliations from "../reconciliations/contract.ts";
import { RECORD_CONTRACTS } from "../records/contract.ts";
import * as requestLog from "../request-log/contract.ts";
import * as securityEvents from "../security-events/contract.ts";
import * as sessions from "../sessions/contract.ts";
import * as balances from "../sources/balances/contract.ts";
import * as sources from "../sources/contract.ts";
import * as tenants from "../tenants/contract.ts";
import * as views from "../views/contract.ts";
import * as webhooks from "../webhooks/contract.ts";
import * as deliveries from "../webhooks/deliveries/contract.ts";
import { type Contract, exportOf } from "../wire/contract.ts";

const DECLARED = [
  tenants.getMeContract,
  tenants.createSandboxContract,
  tenants.resetSandboxContract,
  sessions.listSessionsContract,
  sessions.endSessionsContract,
  firstSteps.getFirstStepsContract,
  firstSteps.putFirstStepsContract,
  members.listMembersContract,
  overview.getOverviewContract,
  members.listTenantMembersContract,
  members.getTenantMemberContract,
  members.updateTenantMemberContract,
  members.removeTenantMemberContract,
  invitations.listInvitationsContract,
  invitations.createInvitationContract,
  invitations.getInvitationContract,
  invitations.resendInvitationContract,
  invitations.revokeInvitationContract,
  alerts.getNotificationSettingsContract,
  alerts.putNotificationSettingsContract,
  alerts.listAlertChannelsContract,
  alerts.createAlertChannelContract,
  alerts.getAlertChannelContract,
  alerts.updateAlertChannelContract,
  alerts.deleteAlertChannelContract,
  alerts.testAlertChannelContract,
  apiKeys.listApiKeysContract,
  apiKeys.createApiKeyContract,
  apiKeys.getApiKeyContract,
  apiKeys.updateApiKeyContract,
  apiKeys.revokeApiKeyContract,
  apiKeys.rotateApiKeyContract,
  apiKeys.getApiKeyUsageContract,
  apiKeys.estimateApiKeyImpactContract,
  exceptions.listSlaExceptionsContract,
  exceptions.listExceptionsContract,
  exceptions.createExceptionContract,
  exceptions.getExceptionContract,
  exceptions.updateExceptionContract,
  pauses.pauseExceptionContract,
  pauses.resumeExceptionContract,
  bulk.updateExceptionsContract,
  exceptionImport.importExceptionsContract,
  history.listExceptionHistoryContract,
  sla.listSlaChangesContract,
  sla.getSlaFacetsContract,
  comments.listExceptionCommentsContract,
  comments.createExceptionCommentContract,
  sla.getTimeToBreachContract,
  sla.getExceptionLedgerContract,
  slaReport.getSlaReportContract,
  views.listViewsContract,
  views.createViewContract,
  views.getViewContract,
  views.updateViewContract,
  views.deleteViewContract,
  sla.getSlaPolicyContract,
  sla.putSlaPolicyContract,
  calendars.listCalendarsContract,
  calendars.createCalendarContract,
  calendars.getCalendarContract,
  calendars.putCalendarContract,
  calendars.listCalendarVersionsContract,
  calendars.listOpenHoursContract,
  calendars.listHolidaysContract,
  calendars.listHolidayCountriesContract,
  calendars.readIcsContract,
  calendars.getCalendarIcsContract,
  reconciliations.listReconciliationsContract,
  reconciliations.createReconciliationContract,
  reconciliations.getReconciliationContract,
  reconciliations.updateReconciliationContract,
  rules.getRulesContract,
  rules.putRulesContract,
  runs.createRunContract,
  runs.listRunsContract,
  runs.getRunContract,
  bands.listSuggestionBandsContract,
  bands.sampleSuggestionsContract,
  matching.listMatchesContract,
  matching.createMatchContract,
  matching.getMatchContract,
  matching.confirmMatchContract,
  matching.rejectMatchContract,
  matching.undoMatchContract,
  matching.decideMatchesContract,
  workbench.listOpenLinesContract,
  workbench.listDecisionsContract,
  workbench.undoDecisionContract,
  matchingLines.listLineSuggestionsContract,
  matchingLines.excludeLineContract,
  matchingLines.includeLineContract,
  periods.getProofContract,
  periods.getStatementContract,
  periods.listSignedStatementsContract,
  periods.getSignedStatementContract,
  statementPdf.getStatementPdfContract,
  bundles.getStatementBundleContract,
  closingBoard.getClosingBoardContract,
  closingBoard.openNextPeriodsContract,
  signOff.getChecklistContract,
  signOff.prepareReconciliationContract,
  signOff.reviewReconciliationContract,
  signOff.returnReconciliationContract,
  periods.closeReconciliationContract,
  periods.reopenReconciliationContract,
  entryRules.getEntryRulesContract,
  entryRules.putEntryRulesContract,
  entryRules.previewEntriesContract,
  entries.listEntryBatchesContract,
  entries.getEntryBatchContract,
  entries.listEntriesContract,
  entries.getLedgerFileContract,
  entries.markEntryBatchExportedContract,
  entries.pushEntryBatchContract,
  sources.listSourcesContract,
  sources.createSourceContract,
  sources.getSourceContract,
  sources.updateSourceContract,
  balances.listSourceBalancesContract,
  balances.stateSourceBalanceContract,
  balances.getSourceBalanceContract,
  balances.removeSourceBalanceContract,
  connections.listConnectionsContract,
  connections.createConnectionContract,
  connections.getConnectionContract,
  connections.updateConnectionContract,
  connections.deleteConnectionContract,
  connections.testConnectionContract,
  connections.fetchConnectionContract,
  connections.listConnectionFilesContract,
  evidence.addEvidenceContract,
  evidence.listEvidenceContract,
  evidence.getEvidenceContract,
  evidence.getEvidenceContentContract,
  evidence.removeEvidenceContract,
  lines.addLinesContract,
  lines.listLinesContract,
  lines.getLineContract,
  lines.listLineHistoryContract,
  imports.createImportContract,
  imports.listImportsContract,
  imports.getImportContract,
  imports.undoImportContract,
  ...[...RECORD_CONTRACTS.values()].flatMap(({ surface: _, ...operations }) =>
    Object.values(operations),
  ),
  webhooks.listWebhooksContract,
  webhooks.createWebhookContract,
  webhooks.previewWebhookFiltersContract,
  webhooks.getWebhookContract,
  webhooks.updateWebhookContract,
  webhooks.deleteWebhookContract,
  webhooks.rotateWebhookSecretContract,
  webhooks.testWebhookContract,
  webhooks.enableWebhookContract,
  webhooks.recoverWebhookContract,
  deliveries.getWebhookStatsContract,
  deliveries.listDeliveriesContract,
  deliveries.getDeliveryStatsContract,
  deliveries.listWebhookDeliveriesContract,
  deliveries.getWebhookDeliveryContract,
  deliveries.resendWebhookDeliveryContract,
  events.listEventsContract,
  events.getEventContract,
  events.createTestEventContract,
  securityEvents.listSecurityEventsContract,
  securityEvents.getSecurityEventContract,
  securityEvents.verifySecurityEventsContract,
  requestLog.listRequestsContract,
  requestLog.getRequestContract,
  requestLog.getRequestStatsContract,
] as unknown as Contract[];

/** Every operation of /v1. */
export const CONTRACTS: readonly Contract[] = DECLARED.flatMap((declared) =>
  declared.exported ? [declared, exportOf(declared)] : [declared],
);
