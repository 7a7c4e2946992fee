"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { firstStepsQuery, isComplete } from "#components/first-steps/queries.ts";
import { useTenantId } from "#components/kit/member.tsx";
import type { FirstSteps } from "#lib/first-steps/contract.ts";

const FirstStepsCard = dynamic(
  () =>
    import("#components/first-steps/first-steps-card.tsx").then((module) => module.FirstStepsCard),
  {
    // Its boundary keeps the page visible while it loads.
    loading: () => null,
  },
);

type Props = { initial: FirstSteps | null; onGo?: () => void };

/** The slot for the first steps. Loads nothing once they are done or dismissed. */
export function FirstStepsSlot({ initial, onGo }: Props) {
  const tenantId = useTenantId();
  // The card fetches; this only reads the cache.
  const { data } = useQuery({
    ...firstStepsQuery(tenantId),
    initialData: initial ?? undefined,
    enabled: false,
  });
  const [began] = useState(initial !== null && !isComplete(initial));
  if (!data || data.dismissed || !(began || !isComplete(data))) return null;
  return <FirstStepsCard initial={data} onGo={onGo} />;
}
