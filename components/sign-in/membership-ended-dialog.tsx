"use client";

import { Button, buttonClass } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";

/** Tells a user whose session has ended that they are no longer a member of the page's tenant. */
export function MembershipEndedDialog({
  tenant,
  onClose,
}: {
  tenant: string;
  onClose: () => void;
}) {
  return (
    <Dialog
      title={`You no longer have access to ${tenant}`}
      description="An admin removed you from this tenant and signed you out."
      onClose={onClose}
    >
      <DialogBody>
        <p className="text-sm text-pretty text-muted">
          Ask an admin of {tenant} if you think this is a mistake. Your account stays: sign in again
          to open your other tenants.
        </p>
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Stay on this page</Button>
        <a href="/sign-in" className={buttonClass({ variant: "primary" })}>
          Sign in
        </a>
      </DialogActions>
    </Dialog>
  );
}
