"use client";

import type { Webhook } from "#lib/webhooks/contract.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { DisableDialog } from "./disable-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { EnableDialog } from "./enable-dialog.tsx";
import { RecoverDialog } from "./recover-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { VerifyDialog } from "./verify-dialog.tsx";
import type { WebhookAction } from "./webhook-actions.tsx";

const DIALOGS = {
  edit: EditDialog,
  rotate: RotateDialog,
  recover: RecoverDialog,
  enable: EnableDialog,
  disable: DisableDialog,
  delete: DeleteDialog,
  verify: VerifyDialog,
} as const;

export type WebhookDialogProps = { webhook: Webhook; onClose: () => void; onDeleted: () => void };

export function WebhookDialog({
  action,
  ...props
}: WebhookDialogProps & { action: WebhookAction }) {
  const Chosen = DIALOGS[action];
  return <Chosen {...props} />;
}
