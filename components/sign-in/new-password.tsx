"use client";

import { type ReactNode, useId } from "react";
import { CardForm } from "#components/kit/card-form.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { PasswordField } from "#components/ui/password-field.tsx";

type Props = {
  /** The account of the password, for password managers. */
  email?: string;
  min: number;
  start: string;
  pending: string;
  send: (password: string) => Promise<unknown>;
  onDone: (password: string) => void;
  children?: ReactNode;
};

/** A form that sets a password. It is typed only once, since it can be shown. */
export function NewPasswordForm({ email, min, start, pending, send, onDone, children }: Props) {
  const id = useId();
  const form = useForm({
    initial: { password: "" },
    check: ({ password }) => ({
      ...([...password].length < min && { password: `Use at least ${min} characters.` }),
    }),
    send: ({ password }) => send(password),
    onDone: (_, { password }) => onDone(password),
  });
  return (
    <CardForm form={form} start={start} pending={pending} beforeButton={children} wide>
      {email !== undefined && (
        <input id={id} type="hidden" name="username" autoComplete="username" value={email} />
      )}
      <PasswordField
        label="New password"
        hint={`At least ${min} characters. A few words make a good one.`}
        autoComplete="new-password"
        autoFocus
        required
        {...form.text("password")}
      />
    </CardForm>
  );
}
