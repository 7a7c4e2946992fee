"use client";

import { BadgeCheck, CircleDashed, type LucideIcon, PenLine, Undo2 } from "lucide-react";
import dynamic from "next/dynamic";
import { type ReactNode, useState } from "react";
import { Card } from "#components/kit/card.tsx";
import { useMember } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ActorName } from "#components/people/actor-name.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { KeepFocus } from "#components/ui/keep-focus.tsx";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import {
  prepareReconciliationContract,
  reviewReconciliationContract,
} from "#lib/matching/sign-off/contract.ts";
import type { Reconciliation, SignOff } from "#lib/reconciliations/contract.ts";
import { Checklist } from "./checklist.tsx";
import { hasSigned, nextStep } from "./next-step.ts";
import type { SignAction } from "./sign-dialog.tsx";
import { Signatures } from "./signatures.tsx";

const SignDialog = dynamic(() => import("./sign-dialog.tsx").then((part) => part.SignDialog), {
  ssr: false,
});

/** The signatures of an open period, and the checks before its close. */
export function SignOffCard({ reconciliation }: { reconciliation: Reconciliation }) {
  const { sign_off: signOff, preparing, closing } = reconciliation;
  const [action, setAction] = useState<SignAction | null>(null);
  const mayPrepare = useIsAllowed(prepareReconciliationContract.access);
  const mayReview = useIsAllowed(reviewReconciliationContract.access);
  const { self } = useMember();
  if (!signOff) return null;
  const isPrepared = signOff.state !== "open";
  const reviews = signOff.signatures.length - 1;
  const needsReview = isPrepared && reviews < Math.max(signOff.levels, 1);
  const canReview = needsReview && !hasSigned(signOff, self);
  return (
    <Card
      title="Sign-off"
      hint={hintOf(signOff)}
      aside={
        <Badge
          tone={signOff.state === "reviewed" ? "good" : "neutral"}
          icon={signOff.state === "open" ? CircleDashed : BadgeCheck}
        >
          {STATE_LABELS[signOff.state]}
        </Badge>
      }
    >
      {signOff.revoked && (
        <Note tone="warning">
          The signatures were revoked{" "}
          <ActorName iso={signOff.revoked.at} actor={signOff.revoked.by} />:{" "}
          {signOff.revoked.reason}
        </Note>
      )}
      <Signatures signatures={signOff.signatures} />
      <Checklist reconciliation={reconciliation} />
      {!preparing && !closing && (
        <div className="flex flex-wrap items-center gap-2">
          {!isPrepared && mayPrepare && (
            <SignButton icon={PenLine} onClick={() => setAction("prepare")}>
              Sign as prepared
            </SignButton>
          )}
          {canReview && mayReview && (
            <SignButton icon={PenLine} onClick={() => setAction("review")}>
              Sign as reviewed
            </SignButton>
          )}
          {isPrepared && mayReview && (
            <SignButton icon={Undo2} onClick={() => setAction("return")}>
              Return to work
            </SignButton>
          )}
          <p className="text-sm text-muted empty:hidden">
            {nextStep(signOff, { self, mayReview })}
          </p>
        </div>
      )}
      {action && (
        <SignDialog
          action={action}
          reconciliation={reconciliation}
          onClose={() => setAction(null)}
        />
      )}
    </Card>
  );
}

function SignButton({
  icon: Icon,
  onClick,
  children,
}: {
  icon: LucideIcon;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <KeepFocus>
      <Button size="sm" onClick={onClick}>
        <Icon aria-hidden className="size-4 text-muted" />
        {children}
      </Button>
    </KeepFocus>
  );
}

const STATE_LABELS: Record<SignOff["state"], string> = {
  open: "Not prepared",
  prepared: "Prepared",
  reviewed: "Reviewed",
};

function hintOf({ levels }: SignOff): string {
  return levels === 0
    ? "The rules of this pair ask for no review. Signatures are kept with the statement."
    : `This pair closes after ${pluralize(levels, "review")} by someone other than the preparer.`;
}
