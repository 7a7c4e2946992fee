"use client";

import { useState } from "react";
import { CardForm } from "#components/kit/card-form.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { Note } from "#components/ui/note.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { callAccount } from "./account-client.ts";

/** Says the same whether or not there is such an account. */
export function ForgotForm() {
  const [sentTo, setSentTo] = useState<string>();
  const form = useForm({
    initial: { email: "" },
    check: ({ email }) => ({ ...(!email.includes("@") && { email: "Enter your email address." }) }),
    send: (body) => callAccount("forgot", body),
    onDone: (_, { email }) => setSentTo(email.trim()),
  });
  if (sentTo !== undefined) {
    return (
      <div role="status" className="flex flex-col gap-4">
        <Note tone="info">
          If <strong className="font-medium wrap-anywhere">{sentTo}</strong> has an account, a link
          to set a new password is on its way. It works once and expires in an hour.
        </Note>
        <p className="text-sm text-muted">
          Nothing after a few minutes? Check the spam folder, or ask a tenant admin which address
          your account has.
        </p>
      </div>
    );
  }
  return (
    <CardForm form={form} start="Send link" pending="Sending…" wide>
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        autoFocus
        required
        {...form.text("email")}
      />
    </CardForm>
  );
}
