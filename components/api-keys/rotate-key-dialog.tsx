"use client";

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Dialog, DialogBody } from "#components/ui/dialog.tsx";
import { Note } from "#components/ui/note.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { Time } from "#components/ui/time.tsx";
import { type ApiKey, GRACE_SECONDS_DEFAULT, rotateApiKeyContract } from "#lib/api-keys/contract.ts";
import { AttemptActions } from "./attempt-actions.tsx";
import { Impact } from "./impact.tsx";
import { apiKeyImpactQuery } from "./queries.ts";
import { useIssueKey } from "./use-issue-key.ts";

const GRACE_PERIODS = [
  { value: "0", label: "Now" },
  { value: "900", label: "15 min" },
  { value: "3600", label: "1 h" },
  { value: "86400", label: "24 h" },
  { value: "604800", label: "7 days" },
];

export function RotateKeyDialog({ tenantId, apiKey, onClose }: { tenantId: string; apiKey: ApiKey; onClose: () => void }) {
  const [grace, setGrace] = useState(String(GRACE_SECONDS_DEFAULT));
  const attempt = useIssueKey({
    tenantId,
    rotated: true,
    issue: (grace_period_seconds: number, idempotencyKey) =>
      callApi(rotateApiKeyContract, {
        tenant: tenantId,
        params: { id: tenantId, keyId: apiKey.id },
        body: { grace_period_seconds },
        idempotencyKey,
      }),
    onClose,
  });
  const { refused } = attempt;

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    attempt.start(Number(grace));
  }

  return (
    <Dialog
      onClose={attempt.close}
      title={`Rotate ${apiKey.name}`}
      description="A new key with the same name, scopes and addresses takes its place. Its secret is shown once."
    >
      <form onSubmit={onSubmit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          {refused && <Note tone="danger">{refused.message}</Note>}
          <fieldset disabled={attempt.isPending || attempt.uncertain !== null} className="flex min-w-0 flex-col gap-4">
            <legend className="sr-only">Rotation</legend>
            <RadioGroup legend="The old key ends" value={grace} options={GRACE_PERIODS} onChange={setGrace} />
            {grace === "0" ? (
              <EndsNow tenantId={tenantId} keyId={apiKey.id} />
            ) : (
              <p className="text-sm text-muted">
                Both keys work until <Time iso={endOf(apiKey, Number(grace))} />. Give your servers the new one before then.
              </p>
            )}
          </fieldset>
        </DialogBody>
        <AttemptActions attempt={attempt} start="Rotate key" pending="Rotating…" />
      </form>
    </Dialog>
  );
}

function EndsNow({ tenantId, keyId }: { tenantId: string; keyId: string }) {
  const { data, error } = useQuery(apiKeyImpactQuery(tenantId, keyId, { revoke: true }));
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-muted">The old key is refused from the next call on.</p>
      <Impact impact={data} error={error} />
    </div>
  );
}

/** It never outlives its own expiry. */
function endOf({ expires_at }: ApiKey, graceSeconds: number): string {
  const graceEnd = new Date(serverNow() + graceSeconds * 1000).toISOString();
  return expires_at !== null && expires_at < graceEnd ? expires_at : graceEnd;
}
