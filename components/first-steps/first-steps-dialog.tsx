"use client";

import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { firstStepsQuery, useDismissFirstSteps } from "./queries.ts";
import { StepList } from "./step-list.tsx";

/** The first steps, reopened after they were done or dismissed. */
export function FirstStepsDialog({ onClose }: { onClose: () => void }) {
  const { data, error, refetch } = useQuery(firstStepsQuery(useTenantId()));
  const dismiss = useDismissFirstSteps();
  return (
    <Dialog
      title="First steps"
      description="From your first API key to your first webhook event."
      onClose={onClose}
    >
      <DialogBody>
        {data && <StepList firstSteps={data} onGo={onClose} />}
        {!data &&
          (error ? (
            <ProblemNotice error={error} onRetry={() => refetch()} />
          ) : (
            <Skeleton className="h-36 w-full" />
          ))}
      </DialogBody>
      {data?.dismissed && (
        <DialogActions>
          <Button
            onClick={() => {
              dismiss.start(false);
              onClose();
            }}
          >
            Show in the sidebar
          </Button>
        </DialogActions>
      )}
    </Dialog>
  );
}
