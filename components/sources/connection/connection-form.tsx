"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { CalendarField } from "#components/kit/calendar-field.tsx";
import { fieldsChanged } from "#components/kit/changed-fields.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelForm } from "#components/kit/panel-form.tsx";
import { type Fields, useForm } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextArea, TextField } from "#components/ui/text-field.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  type Connection,
  createConnectionContract,
  updateConnectionContract,
} from "#lib/connections/contract.ts";
import type { Source } from "#lib/sources/contract.ts";
import { CONNECTIONS } from "#lib/wire/facts.gen.ts";
import {
  type ConnectionDraft,
  draftOf,
  hasUser,
  inputOf,
  missingIn,
  ofKind,
} from "./connection-draft.ts";
import {
  ADDRESS_EXAMPLES,
  AFTERWARDS_LABELS,
  AUTH_LABELS,
  AUTHS_OF,
  CREDENTIAL_LABELS,
  KIND_LABELS,
} from "./labels.ts";
import { connectionsKey } from "./queries.ts";

type FormFields = Fields<ConnectionDraft>;
const OFF = { autoComplete: "off", spellCheck: false } as const;

/** The form of a source's connection. `initial`: the one to edit; omitted to create one. */
export function ConnectionForm({
  source,
  initial,
  onDone,
}: {
  source: Source;
  initial?: Connection;
  onDone: () => void;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const [before] = useState(() => draftOf(initial));
  const form = useForm({
    initial: before,
    check: (draft) => missingIn(draft, initial === undefined),
    fieldOf: (path) => path.replace(/^schedule\.|\.\d+$/, ""),
    send: (draft, idempotencyKey) => {
      const { kind: _, ...changed } = fieldsChanged(inputOf(before), inputOf(draft));
      return initial
        ? callApi(updateConnectionContract, {
            tenant,
            params: { id: initial.id },
            body: changed,
          })
        : callApi(createConnectionContract, {
            tenant,
            body: { source_id: source.id, ...inputOf(draft) },
            idempotencyKey,
          });
    },
    onDone: (_connection, { kind }) => {
      cache.invalidateQueries({ queryKey: connectionsKey(tenant) });
      toast(initial ? "Saved the connection" : `Connected ${source.name}`, {
        description:
          kind === "mail" ? "Have the files sent to its address." : "Test it, or choose Fetch now.",
      });
      onDone();
    },
  });
  return (
    <PanelForm
      form={form}
      title={initial ? `Connection of ${source.name}` : `Connect ${source.name}`}
      start={initial ? "Save changes" : "Connect"}
      unsaved={JSON.stringify(form.draft) !== JSON.stringify(before)}
    >
      {!initial && (
        <RadioGroup
          legend="Server"
          value={form.draft.kind}
          options={CONNECTIONS.kind
            .toReversed()
            .map((value) => ({ value, label: KIND_LABELS[value] }))}
          onChange={(kind) => form.change(ofKind(kind))}
        />
      )}
      {form.draft.kind === "mail" ? (
        <MailFields form={form} isNew={initial === undefined} />
      ) : (
        <ServerFields form={form} isNew={initial === undefined} />
      )}
      <ScheduleFields form={form} source={source} />
      {form.draft.kind !== "https" && <GlobField form={form} />}
      {(form.draft.kind === "sftp" || form.draft.kind === "s3") && <FileFields form={form} />}
    </PanelForm>
  );
}

function MailFields({ form, isNew }: { form: FormFields; isNew: boolean }) {
  return (
    <TextArea
      label="Allowed senders"
      placeholder={"statements@bank.example\n@bank.example"}
      hint={
        "Addresses, or @ and a domain, one per line. DKIM or SPF must prove the sender." +
        (isNew ? " The address to send to is shown once the source is connected." : "")
      }
      {...OFF}
      {...form.text("allowed_senders")}
      required
    />
  );
}

function ServerFields({ form, isNew }: { form: FormFields; isNew: boolean }) {
  const { draft, text, change } = form;
  const Credential = draft.auth === "private_key" ? TextArea : TextField;
  return (
    <>
      <TextField
        label="Address"
        placeholder={ADDRESS_EXAMPLES[draft.kind]}
        maxLength={CONNECTIONS.address.max}
        {...OFF}
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
          {...OFF}
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
          {...OFF}
          {...text("credential")}
          required={isNew}
        />
      )}
      {draft.kind === "s3" && (
        <TextField
          label="Region"
          placeholder="eu-central-1"
          {...OFF}
          {...text("region")}
          required
        />
      )}
      {draft.kind === "sftp" && (
        <TextField
          label="Host key"
          placeholder="SHA256:…"
          hint="Leave this empty to accept the first key that the server shows. Any other key stops the connection."
          {...OFF}
          {...text("host_key")}
        />
      )}
    </>
  );
}

function ScheduleFields({ form, source }: { form: FormFields; source: Source }) {
  const { draft, text, change } = form;
  return (
    <>
      <CheckField
        label={draft.kind === "mail" ? "Expect a file on business days" : "Fetch on business days"}
        checked={draft.isScheduled}
        onChange={({ target }) => change({ isScheduled: target.checked })}
      />
      {draft.isScheduled && (
        <>
          <div className="grid grid-cols-2 gap-4">
            <TextField
              label={draft.kind === "mail" ? "From" : "First look"}
              type="time"
              {...text("at")}
              required
            />
            <TextField
              label={draft.kind === "mail" ? "Until" : "Retry until"}
              type="time"
              {...text("retry_until")}
              required
            />
          </div>
          <p className="-mt-3 text-sm text-muted">
            By the clock of {source.time_zone}. A file that hasn't arrived by then becomes an
            exception.
          </p>
          <CalendarField
            label="Business days"
            none="Monday to Friday"
            value={draft.calendar_id}
            error={form.problem("calendar_id")}
            onChange={(calendar) => change({ calendar_id: calendar ?? "" })}
          />
          <TextField
            label="Assign a missing file to"
            placeholder="ada"
            hint="A member's name. Leave this empty for nobody."
            {...OFF}
            {...text("assigned_to")}
          />
        </>
      )}
    </>
  );
}

function GlobField({ form: { draft, text } }: { form: FormFields }) {
  return (
    <TextField
      label="Files"
      placeholder="camt053-*.xml"
      maxLength={CONNECTIONS.file_glob.max}
      hint={
        "* is any characters, ? is one." +
        (draft.kind === "mail" ? "" : " Files that end in .part or .tmp are skipped.")
      }
      {...OFF}
      {...text("file_glob")}
      required
    />
  );
}

function FileFields({ form }: { form: FormFields }) {
  const { draft, text, change } = form;
  return (
    <>
      <RadioGroup
        legend="After a file is imported"
        value={draft.afterwards}
        options={CONNECTIONS.afterwards.map((value) => ({
          value,
          label: AFTERWARDS_LABELS[value],
        }))}
        onChange={(afterwards) => change({ afterwards })}
      />
      {draft.afterwards === "move" && (
        <TextField
          label="Folder"
          maxLength={CONNECTIONS.move_to.max}
          {...OFF}
          {...text("move_to")}
          required
        />
      )}
      <TextField
        label="Seconds without a change"
        type="number"
        min={CONNECTIONS.stable_seconds.min}
        max={CONNECTIONS.stable_seconds.max}
        hint="A file whose size or time still changes waits."
        {...text("stable_seconds")}
        required
      />
      <CheckField
        label="Wait for a file of the same name and .done"
        checked={draft.waits_for_marker}
        onChange={({ target }) => change({ waits_for_marker: target.checked })}
      />
    </>
  );
}
