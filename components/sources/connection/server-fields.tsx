"use client";

import type { Fields } from "#components/kit/use-form.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextArea, TextField } from "#components/ui/text-field.tsx";
import { CONNECTIONS } from "#lib/wire/facts.gen.ts";
import { type ConnectionDraft, hasUser, NO_AUTOFILL } from "./connection-draft.ts";
import { ADDRESS_EXAMPLES, AUTH_LABELS, AUTHS_OF, CREDENTIAL_LABELS } from "./labels.ts";

type FormFields = Fields<ConnectionDraft>;

export function MailFields({ form, isNew }: { form: FormFields; isNew: boolean }) {
  return (
    <TextArea
      label="Allowed senders"
      placeholder={"statements@bank.example\n@bank.example"}
      hint={
        "Addresses, or @ and a domain, one per line. DKIM or SPF must prove the sender." +
        (isNew ? " The address to send to is shown once the source is connected." : "")
      }
      {...NO_AUTOFILL}
      {...form.text("allowed_senders")}
      required
    />
  );
}

export function ServerFields({ form, isNew }: { form: FormFields; isNew: boolean }) {
  const { draft, text, change } = form;
  const Credential = draft.auth === "private_key" ? TextArea : TextField;
  return (
    <>
      <TextField
        label="Address"
        placeholder={ADDRESS_EXAMPLES[draft.kind]}
        maxLength={CONNECTIONS.address.max}
        {...NO_AUTOFILL}
        {...text("address")}
        required
      />
      {AUTHS_OF[draft.kind].length > 1 && (
        <SelectField
          label="Sign-in"
          value={draft.auth}
          error={form.problem("auth")}
          onChange={({ target }) =>
            change({
              auth: AUTHS_OF[draft.kind].find((auth) => auth === target.value) ?? draft.auth,
              credential: "",
            })
          }
        >
          {AUTHS_OF[draft.kind].map((auth) => (
            <option key={auth} value={auth}>
              {AUTH_LABELS[auth]}
            </option>
          ))}
        </SelectField>
      )}
      {hasUser(draft.auth) && (
        <TextField
          label={draft.kind === "s3" ? "Access key ID" : "User name"}
          maxLength={CONNECTIONS.user_name.max}
          {...NO_AUTOFILL}
          {...text("user_name")}
          required
        />
      )}
      {draft.auth !== "none" && (
        <Credential
          label={CREDENTIAL_LABELS[draft.auth]}
          {...(draft.auth !== "private_key" && { type: "password" })}
          hint={
            isNew
              ? "Stored encrypted and never shown again."
              : "Leave this empty to keep the stored one, unless the address or sign-in changes."
          }
          {...NO_AUTOFILL}
          {...text("credential")}
          required={isNew}
        />
      )}
      {draft.kind === "s3" && (
        <TextField
          label="Region"
          placeholder="eu-central-1"
          {...NO_AUTOFILL}
          {...text("region")}
          required
        />
      )}
      {draft.kind === "sftp" && (
        <TextField
          label="Host key"
          placeholder="SHA256:…"
          hint="Leave this empty to accept the first key that the server shows. Any other key stops the connection."
          {...NO_AUTOFILL}
          {...text("host_key")}
        />
      )}
    </>
  );
}
