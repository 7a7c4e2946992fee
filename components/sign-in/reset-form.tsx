"use client";

import { callAccount } from "./account-client.ts";
import { useLinkToken } from "./link-token.ts";
import { NewPasswordForm } from "./new-password.tsx";

/** The page of a mailed link. */
export function ResetForm({ min }: { min: number }) {
  const token = useLinkToken();
  return (
    <NewPasswordForm
      min={min}
      start="Set password"
      pending="Setting…"
      send={(password) => callAccount("reset", { token: token ?? "", password })}
      onDone={() => window.location.assign("/sign-in?notice=password-set")}
    />
  );
}
