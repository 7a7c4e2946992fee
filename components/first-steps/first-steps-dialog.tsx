"use client";

import { useQuery } from "@tanstack/react-query";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { firstStepsQuery, useDismissFirstSteps } from "./queries.ts";
import { StepList } from "./step-list.tsx";

/** The steps, asked for by who dismissed them or has done them. */
export function FirstStepsDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const { data, error, refetch } = useQuery(firstStepsQuery(tenantId));
  const dismiss = useDismissFirstSteps(tenantId);
  return (
    <Dialog title="First steps" description="From nothing to events that reach your server." onClose={onClose}>
      <DialogBody>
        {data && <StepList tenantId={tenantId} firstSteps={data} onGo={onClose} />}
        {!data && (error ? <ProblemNotice error={error} onRetry={() => refetch()} /> : <Skeleton className="h-36 w-full" />)}
      </DialogBody>
      {data?.dismissed && (
        <DialogActions>
          <Button
            onClick={() => {
              dismiss.mutate(false);
              onClose();
            }}
          >
            Keep them in the sidebar
          </Button>
        </DialogActions>
      )}
    </Dialog>
  );
}
