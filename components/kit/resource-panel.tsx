"use client";

import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useState } from "react";
import { isRefusal } from "#components/api-client.ts";
import { SidePanel } from "#components/ui/side-panel.tsx";
import { useVisit } from "#components/ui/use-visit.ts";
import { PanelSkeleton } from "./panel-parts.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

/** The ID in the URL while a resource is being created. */
export const NEW = "new";

/**
 * The panel of the resource in the URL: its skeleton, its error, or its content. State is reset with each visit and kept
 * while the panel slides away. `create`: the form shown for a new resource.
 */
export function ResourcePanel<Data, Key extends readonly unknown[]>({
  id,
  query,
  noun,
  title,
  create,
  onClose,
  children,
}: {
  id: string | null;
  query: (id: string) => UseQueryOptions<Data, Error, Data, Key>;
  noun: string;
  title: (data: Data) => string;
  create?: { title: string; form: ReactNode };
  onClose: () => void;
  children: (data: Data) => ReactNode;
}) {
  const [last, setLast] = useState(id);
  if (id !== null && id !== last) setLast(id);
  const visit = useVisit(id !== null);
  const creates = create !== undefined && last === NEW;
  const { data, error, refetch } = useQuery({ ...query(last ?? ""), enabled: id !== null && !creates });
  const label = creates ? create.title : data === undefined ? capitalised(noun) : title(data);
  return (
    <SidePanel open={id !== null} onClose={onClose} side="right" label={label} asks={creates}>
      {creates ? (
        <Fragment key={visit}>{create.form}</Fragment>
      ) : error && (data === undefined || isRefusal(error)) ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : data !== undefined ? (
        <Fragment key={`${last} ${visit}`}>{children(data)}</Fragment>
      ) : (
        last !== null && <PanelSkeleton label={`Loading the ${noun}`} />
      )}
    </SidePanel>
  );
}

function capitalised(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}
