"use client";

import { useState } from "react";
import { Dialog, DialogBody } from "#components/ui/dialog.tsx";
import { SignInForm, type SignInProvider } from "./sign-in-form.tsx";

type Props = {
  name: string;
  providers: readonly SignInProvider[];
  onClose: () => void;
  onSignedIn: () => void;
};

/** Signs in over the page, so that no input is lost. */
export function SessionEndedDialog({ name, providers, onClose, onSignedIn }: Props) {
  const [path] = useState(() => window.location.pathname + window.location.search);
  return (
    <Dialog
      title="Your session has ended"
      description={
        <>
          Sign in again as <strong className="font-medium text-ink">{name}</strong> to continue.
          Nothing you entered is lost.
          {providers.length > 0 &&
            " Your provider opens in another tab; this tab continues automatically."}
        </>
      }
      onClose={onClose}
    >
      <DialogBody>
        <SignInForm callbackPath={path} providers={providers} inPlace={{ onSignedIn }} />
      </DialogBody>
    </Dialog>
  );
}
