"use client";

import { Card } from "#components/kit/card.tsx";
import { CardForm } from "#components/kit/card-form.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { PasswordField } from "#components/ui/password-field.tsx";
import { toast } from "#components/ui/toast.ts";
import { callAccount } from "./account-client.ts";

const EMPTY = { current: "", password: "" };

/** `email`: null if an identity provider manages the password. */
export function PasswordCard({ email, min }: { email: string | null; min: number }) {
  return (
    <Card
      title="Password"
      hint={email === null ? undefined : "Changing it signs out your other browsers."}
    >
      {email === null ? (
        <p className="text-sm text-muted">
          Your identity provider manages your password. Change it there.
        </p>
      ) : (
        <PasswordForm email={email} min={min} />
      )}
    </Card>
  );
}

function PasswordForm({ email, min }: { email: string; min: number }) {
  const form = useForm({
    initial: EMPTY,
    check: ({ current, password }) => ({
      ...(current === "" && { current: "Enter your current password." }),
      ...([...password].length < min && { password: `Use at least ${min} characters.` }),
    }),
    send: (body) => callAccount("password", body),
    onDone: () => {
      form.restart(EMPTY);
      toast("Password changed", { description: "Your other browsers are signed out." });
    },
  });
  return (
    <CardForm form={form} start="Change password" pending="Changing…">
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          required
          {...form.text("current")}
        />
        <PasswordField
          label="New password"
          hint={`At least ${min} characters. A few words make a good one.`}
          autoComplete="new-password"
          required
          {...form.text("password")}
        />
      </div>
    </CardForm>
  );
}
