"use client";

import { LogIn } from "lucide-react";
import Link from "next/link";
import { type FormEvent, useEffect, useState } from "react";
import { storeLocalTimeZone } from "#components/preferences/write-cookie.ts";
import { Button } from "#components/ui/button.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { postAuth } from "./auth-client.ts";
import { ENTRANCE_LINK } from "./entrance.tsx";
import { notifyOtherTabs, onSessionMessage } from "./session-state.ts";
import { signInError } from "./sign-in-error.ts";

export type SignInProvider = { id: string; name: string };

const PASSWORD = "password";

/** `initialError`: an error code from a provider's redirect. */
export function SignInForm({
  callbackPath,
  providers,
  initialError,
  email: given,
  inPlace,
}: {
  callbackPath: string;
  providers: readonly SignInProvider[];
  initialError?: string;
  /** The email of the account that has to sign in. */
  email?: string;
  /** Stay on the page: `onSignedIn` is called after sign-in, and providers open in another tab. */
  inPlace?: { onSignedIn: () => void };
}) {
  const [error, setError] = useState(initialError);
  const [busy, setBusy] = useState<string>();

  useEffect(() => {
    if (!inPlace)
      return onSessionMessage(
        (message) => message === "signed-in" && window.location.assign(callbackPath),
      );
  }, [inPlace, callbackPath]);

  async function postForm(provider: string, action: string, fields: Record<string, string>) {
    setBusy(provider);
    setError(undefined);
    // Pages that stay open keep their times.
    if (!inPlace) storeLocalTimeZone();
    try {
      const url = await postAuth(action, { ...fields, callbackUrl: callbackPath });
      const refused = url.searchParams.get("error");
      if (!refused && provider === PASSWORD) notifyOtherTabs("signed-in");
      if (!refused) return inPlace ? inPlace.onSignedIn() : window.location.assign(url);
      setError(refused);
    } catch {
      setError("Unavailable");
    }
    setBusy(undefined);
  }

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { email, password } = Object.fromEntries(new FormData(event.currentTarget)) as Record<
      string,
      string
    >;
    postForm(PASSWORD, "callback/password", { email: email ?? "", password: password ?? "" });
  }

  return (
    <div className="flex flex-col gap-5">
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          className="h-10"
          disabled={busy !== undefined}
          onClick={() => (inPlace ? openSignIn(callbackPath) : postForm(id, `signin/${id}`, {}))}
        >
          <LogIn aria-hidden className="size-4 text-muted" />
          {busy === id ? `Going to ${name}…` : `Continue with ${name}`}
        </Button>
      ))}
      {providers.length > 0 && (
        <p className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          or
        </p>
      )}
      {/* Without it, a form sent before hydration would put the password into the address. */}
      <form method="post" onSubmit={onSubmit} className="flex flex-col gap-4">
        <TextField
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          autoFocus={!inPlace}
          defaultValue={given}
          readOnly={given !== undefined}
          required
        />
        <div className="flex flex-col gap-1">
          <PasswordField
            label="Password"
            name="password"
            autoComplete="current-password"
            required
          />
          <Link
            href="/sign-in/forgot"
            prefetch={false}
            target={inPlace && "_blank"}
            className={`self-start text-sm ${ENTRANCE_LINK}`}
          >
            Forgot your password?
          </Link>
        </div>
        <div
          role="alert"
          className="rounded-md bg-danger-soft px-3 py-2 text-sm text-danger-text empty:hidden"
        >
          {error && signInError(error)}
        </div>
        <Button type="submit" variant="primary" className="h-10" disabled={busy !== undefined}>
          {busy === PASSWORD ? "Signing in…" : "Sign in"}
        </Button>
      </form>
    </div>
  );
}

function openSignIn(callbackPath: string): void {
  window.open(
    `/sign-in?${new URLSearchParams({ callbackUrl: callbackPath })}`,
    "_blank",
    "noopener",
  );
}
