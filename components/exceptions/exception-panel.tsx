"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { PanelClose, SidePanel } from "#components/ui/side-panel.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { ExceptionDetails } from "./exception-details.tsx";
import { exceptionQuery } from "./queries.ts";

/** The exception that the address names, beside the board. */
export function ExceptionPanel({
  tenantId,
  id,
  people,
  onClose,
}: {
  tenantId: string;
  id: string | null;
  people: string[];
  onClose: () => void;
}) {
  // It stays what it was while the panel slides away.
  const [last, setLast] = useState(id);
  if (id !== null && id !== last) setLast(id);
  return (
    <SidePanel open={id !== null} onClose={onClose} side="right" label={last === null ? "Exception" : undefined}>
      <div className="flex justify-end p-1 pb-0">
        <PanelClose render={<Button variant="ghost" size="touch" aria-label="Close" />}>
          <X aria-hidden className="size-5" />
        </PanelClose>
      </div>
      {last !== null && <Loaded key={last} tenantId={tenantId} id={last} people={people} />}
    </SidePanel>
  );
}

function Loaded({ tenantId, id, people }: { tenantId: string; id: string; people: string[] }) {
  const { data, error, refetch } = useQuery(exceptionQuery(tenantId, id));
  if (data) return <ExceptionDetails tenantId={tenantId} exception={data} people={people} />;
  if (error) return <ProblemNotice error={error} onRetry={() => refetch()} />;
  return (
    <div role="status" aria-label="Loading the exception" className="flex flex-col gap-4 px-6">
      <Skeleton className="h-5 w-24" />
      <Skeleton className="h-6 w-3/4" />
      <Skeleton className="mt-4 h-40 w-full" />
    </div>
  );
}
