"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { CalendarField } from "#components/kit/calendar-field.tsx";
import { fieldsChanged } from "#components/kit/changed-fields.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelForm } from "#components/kit/panel-form.tsx";
import { TimeField } from "#components/kit/time-field.tsx";
import { type Fields, useForm } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { TextField } from "#components/ui/text-field.tsx";
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
  defaultsForKind,
  draftOf,
  inputOf,
  missingIn,
  NO_AUTOFILL,
} from "./connection-draft.ts";
import { FileFields, GlobField } from "./file-fields.tsx";
import { KIND_LABELS } from "./labels.ts";
import { connectionsKey } from "./queries.ts";
import { MailFields, ServerFields } from "./server-fields.tsx";

type FormFields = Fields<ConnectionDraft>;
type Props = { source: Source; initial?: Connection | undefined; onDone: () => void };

/** The form of a source's connection. `initial`: the one to edit; omitted to create one. */
export function ConnectionForm({ source, initial, onDone }: Props) {
  const { form, isChanged } = useConnectionForm({ source, initial, onDone });
  return (
    <PanelForm
      form={form}
      title={initial ? `Connection of ${source.name}` : `Connect ${source.name}`}
      start={initial ? "Save changes" : "Connect"}
      unsaved={isChanged}
    >
      {!initial && (
        <RadioGroup
          legend="How files arrive"
          value={form.draft.kind}
          options={CONNECTIONS.kind
            .toReversed()
            .map((value) => ({ value, label: KIND_LABELS[value] }))}
          onChange={(kind) => form.change(defaultsForKind(kind))}
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

function useConnectionForm({ source, initial, onDone }: Props) {
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
  return { form, isChanged: JSON.stringify(form.draft) !== JSON.stringify(before) };
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
            <TimeField
              label={draft.kind === "mail" ? "From" : "First fetch"}
              {...text("at")}
              onTime={(time) => change({ at: time })}
              required
            />
            <TimeField
              label={draft.kind === "mail" ? "Until" : "Retry until"}
              {...text("retry_until")}
              onTime={(time) => change({ retry_until: time })}
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
            {...NO_AUTOFILL}
            {...text("assigned_to")}
          />
        </>
      )}
    </>
  );
}
