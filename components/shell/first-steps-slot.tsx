"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { firstStepsQuery, isComplete } from "#components/first-steps/queries.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { type FirstSteps, getFirstStepsContract } from "#lib/first-steps/contract.ts";
import { createReconciliationContract } from "#lib/reconciliations/contract.ts";

const FirstStepsCard = dynamic(
  () =>
    import("#components/first-steps/first-steps-card.tsx").then((module) => module.FirstStepsCard),
  {
    // Its boundary keeps the page visible while it loads.
    loading: () => null,
  },
);

const MatchingStepsCard = dynamic(
  () =>
    import("#components/first-steps/matching-steps-card.tsx").then(
      (module) => module.MatchingStepsCard,
    ),
  { loading: () => null },
);

type Props = { initial: FirstSteps | null; onGo?: () => void };

/**
 * The slot for the first steps: an admin connects a system, a lead matches lines. Loads nothing
 * once they are done or dismissed.
 */
export function FirstStepsSlot({ initial, onGo }: Props) {
  const tenantId = useTenantId();
  const integrates = useIsAllowed(getFirstStepsContract.access);
  const matches = useIsAllowed(createReconciliationContract.access);
  // The card fetches; this only reads the cache.
  const { data } = useQuery({
    ...firstStepsQuery(tenantId),
    initialData: initial ?? undefined,
    enabled: false,
  });
  const [began] = useState(initial !== null && !isComplete(initial));
  if (!integrates) return matches ? <MatchingStepsCard onGo={onGo} /> : null;
  if (!data || data.dismissed || !(began || !isComplete(data))) return null;
  return <FirstStepsCard initial={data} onGo={onGo} />;
}
