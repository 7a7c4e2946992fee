"use client";

import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useAttempt } from "#components/kit/use-attempt.ts";
import { toast } from "#components/ui/toast.ts";
import { resumeExceptionContract } from "#lib/exceptions/contract.ts";
import { exceptionsKey } from "./queries.ts";

/** Resumes a paused exception. */
export function useResumeException() {
  const tenant = useTenantId();
  return useAttempt({
    send: (id: string, idempotencyKey) => callApi(resumeExceptionContract, { tenant, params: { id }, idempotencyKey }),
    onDone: () => toast("Resumed"),
    failed: "Couldn't resume",
    stale: exceptionsKey(tenant),
  });
}
