"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { firstStepsQuery, isComplete } from "#components/first-steps/queries.ts";
import { useTenantId } from "#components/kit/member.tsx";
import type { FirstSteps } from "#lib/first-steps/contract.ts";

const FirstStepsCard = dynamic(() => import("#components/first-steps/first-steps-card.tsx").then((module) => module.FirstStepsCard), {
  // The boundary that this brings keeps the page in sight while it is fetched.
  loading: () => null,
});

type Props = { initial: FirstSteps | null; onGo?: () => void };

/** Where the first steps stand. Who has taken or dismissed them loads nothing of them. */
export function FirstStepsSlot({ initial, onGo }: Props) {
  const tenantId = useTenantId();
  // The card asks; here it is only known.
  const { data } = useQuery({ ...firstStepsQuery(tenantId), initialData: initial ?? undefined, enabled: false });
  const [began] = useState(initial !== null && !isComplete(initial));
  if (!data || data.dismissed || !(began || !isComplete(data))) return null;
  return <FirstStepsCard initial={data} onGo={onGo} />;
}
