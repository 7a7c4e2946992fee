"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiProblem, callApi } from "#components/api-client.ts";
import { Card } from "#components/kit/card.tsx";
import { CardForm } from "#components/kit/card-form.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import type { Version } from "#components/kit/query.ts";
import { useForm } from "#components/kit/use-form.ts";
import { CheckField } from "#components/ui/check-field.tsx";
import { Note } from "#components/ui/note.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  ALERT_SCOPES,
  listAlertChannelsContract,
  type NotificationSettings,
  putNotificationSettingsContract,
} from "#lib/alerts/contract.ts";
import { PRODUCT } from "#lib/wire/product.ts";
import { isSandbox } from "#lib/wire/sandbox.ts";
import { notificationSettings } from "./queries.ts";

/** The alerts about this tenant that the user gets by mail. */
export function NotificationCard() {
  const tenant = useTenantId();
  const { data: stored, error, refetch } = useQuery(notificationSettings(tenant));
  return (
    <Card title="Notifications" hint="At most one email of each kind per minute.">
      {!stored ? (
        error ? (
          <ProblemNotice error={error} onRetry={() => refetch()} />
        ) : (
          <PartSkeleton
            label="Loading your notification settings"
            bars={["h-10 w-full", "h-10 w-full", "h-8 w-1/2", "h-8 w-1/2"]}
          />
        )
      ) : isSandbox(tenant) ? (
        <Note tone="info">No email leaves a sandbox. Its webhooks and alert channels work.</Note>
      ) : stored.data.email === null ? (
        <Note tone="info">
          You sign in with your identity provider, so {PRODUCT} has no email address for you. Ask an
          admin to add an alert channel.
        </Note>
      ) : (
        <SettingsForm key={stored.etag} stored={stored} />
      )}
    </Card>
  );
}

const SCOPE_LABELS: Record<(typeof ALERT_SCOPES)[number], string> = {
  mine: "Assigned to me",
  all: "Assigned to anyone",
  off: "Don't email me",
};
const OF_PEOPLE = {
  assigned: "An exception is assigned to me",
  mentioned: "I'm mentioned in a comment",
} as const;
const OF_ADMINS = {
  webhook_failing: "A webhook is failing or was disabled",
  api_key_expiring: "An API key expires soon",
  connection_failing: "A source's connection is failing",
} as const;

function SettingsForm({ stored }: { stored: Version<NotificationSettings> }) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const isAdmin = useIsAllowed(listAlertChannelsContract.access);
  const { queryKey } = notificationSettings(tenant);
  const { email, ...settings } = stored.data;
  const form = useForm({
    initial: settings,
    send: (body) =>
      callApi(putNotificationSettingsContract, { tenant, body, ifMatch: stored.etag }).catch(
        async (error: Error) => {
          // Saved in another tab: that version is shown, and can be changed again.
          if (error instanceof ApiProblem && error.status === 412)
            await cache.invalidateQueries({ queryKey });
          throw error;
        },
      ),
    onDone: () => {
      cache.invalidateQueries({ queryKey });
      toast("Notification settings saved");
    },
  });
  const { draft, change } = form;
  const changed = JSON.stringify(draft) !== JSON.stringify(settings);
  const switches = { ...OF_PEOPLE, ...(isAdmin && OF_ADMINS) };
  return (
    <CardForm form={form} start="Save notifications" pending="Saving…" disabled={!changed}>
      <p className="text-sm text-muted">
        Sent to <span className="wrap-anywhere text-ink">{email}</span>.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <ScopeField
          label="Exceptions past their deadline"
          value={draft.exception_breached}
          onChange={(exception_breached) => change({ exception_breached })}
        />
        <ScopeField
          label="Exceptions at risk"
          value={draft.exception_at_risk}
          onChange={(exception_at_risk) => change({ exception_at_risk })}
        />
      </div>
      <div className="flex flex-col">
        {(
          Object.entries(switches) as [keyof typeof OF_PEOPLE | keyof typeof OF_ADMINS, string][]
        ).map(([field, label]) => (
          <CheckField
            key={field}
            label={label}
            checked={draft[field]}
            onChange={({ target }) => change({ [field]: target.checked })}
          />
        ))}
      </div>
    </CardForm>
  );
}

type AlertScope = (typeof ALERT_SCOPES)[number];

function ScopeField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: AlertScope;
  onChange: (value: AlertScope) => void;
}) {
  return (
    <SelectField
      label={label}
      value={value}
      onChange={({ target }) => onChange(target.value as AlertScope)}
    >
      {ALERT_SCOPES.map((scope) => (
        <option key={scope} value={scope}>
          {SCOPE_LABELS[scope]}
        </option>
      ))}
    </SelectField>
  );
}
