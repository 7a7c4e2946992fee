"use client";

import dynamic from "next/dynamic";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelSkeleton } from "#components/kit/panel-parts.tsx";
import { ResourcePanel } from "#components/kit/resource-panel.tsx";
import { exceptionById } from "./queries.ts";

const ExceptionDetails = dynamic(() => import("./exception-details.tsx").then((part) => part.ExceptionDetails), {
  loading: () => <PanelSkeleton label="Loading the exception" />,
});

export function ExceptionPanel({ id, onClose }: { id: string | null; onClose: () => void }) {
  const tenantId = useTenantId();
  return (
    <ResourcePanel
      id={id}
      query={(exceptionId) => exceptionById(tenantId, exceptionId)}
      noun="exception"
      title={({ title }) => title}
      onClose={onClose}
    >
      {(exception) => <ExceptionDetails exception={exception} />}
    </ResourcePanel>
  );
}
