"use client";

import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { serverNow } from "#components/ui/server-clock.ts";
import { createApiKeyContract } from "#lib/api-keys/contract.ts";
import { PRODUCT } from "#lib/wire/product.ts";
import { inputOf, missingIn, NEW_DRAFT } from "./draft.ts";
import { closeIssueDialog, showSecret } from "./issued-secret.ts";
import { KeyFields } from "./key-fields.tsx";

export function CreateKeyDialog({
  address,
  onClose,
}: {
  address: string | null;
  onClose: () => void;
}) {
  const tenantId = useTenantId();
  // Set once, so that every attempt sends the same expiry.
  const [openedMs] = useState(serverNow);
  const form = useForm({
    initial: NEW_DRAFT,
    check: missingIn,
    send: (draft, idempotencyKey) => {
      const body = inputOf(draft, openedMs);
      return callApi(createApiKeyContract, {
        tenant: tenantId,
        params: { id: tenantId },
        body,
        idempotencyKey,
      });
    },
    onDone: (key) => showSecret({ key, rotated: false }, onClose),
  });
  return (
    <FormDialog
      form={form}
      title="Create an API key"
      description={`For a server that calls ${PRODUCT} without a user signing in.`}
      start="Create key"
      pending="Creating…"
      onClose={() => closeIssueDialog(form, onClose)}
    >
      <KeyFields form={form} address={address} />
    </FormDialog>
  );
}
