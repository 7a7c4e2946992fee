"use client";

import dynamic from "next/dynamic";
import { lineName } from "#components/kit/line-name.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelSkeleton } from "#components/kit/panel-parts.tsx";
import { ResourcePanel } from "#components/kit/resource-panel.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { lineById } from "./queries.ts";

const LineDetails = dynamic(() => import("./line-details.tsx").then((part) => part.LineDetails), {
  loading: () => <PanelSkeleton label="Loading the line" />,
});

export function LinePanel({
  id,
  linkTo,
  onClose,
}: {
  id: string | null;
  linkTo: (to: { line: string }) => PageLink;
  onClose: () => void;
}) {
  const tenantId = useTenantId();
  return (
    <ResourcePanel
      id={id}
      query={(lineId) => lineById(tenantId, lineId)}
      noun="line"
      title={lineName}
      onClose={onClose}
    >
      {(line) => <LineDetails line={line} linkTo={linkTo} />}
    </ResourcePanel>
  );
}
