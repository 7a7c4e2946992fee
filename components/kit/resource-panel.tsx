"use client";

import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp } from "lucide-react";
import { Fragment, type ReactNode, useState } from "react";
import { isRefusal } from "#components/api-client.ts";
import { Button } from "#components/ui/button.tsx";
import { SidePanel } from "#components/ui/side-panel.tsx";
import { useVisit } from "#components/ui/use-visit.ts";
import { PanelSkeleton } from "./panel-parts.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { goToRow, rowFrom, rowOf } from "./rows.ts";
import { useKeys } from "./use-keys.ts";

/** The ID in the URL while a resource is being created. */
export const NEW = "new";

/**
 * The panel of the resource in the URL, next to its list: its skeleton, its error, or its content.
 * State is reset with each visit and kept while the panel slides away. J and K go to the next and
 * the previous row. `known` is the data of the row, shown until the resource has loaded. `create`
 * is the form for a new resource.
 */
export function ResourcePanel<Data, Key extends readonly unknown[]>({
  id,
  query,
  noun,
  title,
  known,
  create,
  onClose,
  children,
}: {
  id: string | null;
  query: (id: string) => UseQueryOptions<Data, Error, Data, Key>;
  known?: (id: string) => Data | undefined;
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
  const resourceQuery = query(last ?? "");
  const { data, error, refetch } = useQuery({
    ...resourceQuery,
    enabled: id !== null && !creates,
    ...(known && { placeholderData: () => known(last ?? "") }),
  } as typeof resourceQuery);
  useKeys(
    creates
      ? []
      : ([
          ["j", () => goToNeighbour(id, 1)],
          ["k", () => goToNeighbour(id, -1)],
        ] as const),
  );
  const label = creates ? create.title : data === undefined ? capitalised(noun) : title(data);
  return (
    <SidePanel
      open={id !== null}
      onClose={onClose}
      side="right"
      label={label}
      docked={!creates}
      confirmsClose={creates}
      header={!creates && <Steps id={id} />}
      returnTo={() => rowOf(last)}
    >
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

/**
 * Opens the row after or before the open one. If none is open, moves the focus from row to row,
 * starting at the first.
 */
function goToNeighbour(open: string | null, step: 1 | -1): void {
  const focused = document.activeElement?.closest<HTMLElement>("a[data-row]")?.dataset.row ?? null;
  if (open === null) rowFrom(focused, step)?.focus();
  else goToRow(rowFrom(open, step));
}

/** Buttons for the next and the previous row. */
function Steps({ id }: { id: string | null }) {
  return (
    <div className="flex items-center">
      <Button
        variant="ghost"
        size="icon"
        aria-label="Next"
        title="Next (J)"
        onClick={() => goToRow(rowFrom(id, 1))}
      >
        <ChevronDown aria-hidden className="size-4" />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Previous"
        title="Previous (K)"
        onClick={() => goToRow(rowFrom(id, -1))}
      >
        <ChevronUp aria-hidden className="size-4" />
      </Button>
    </div>
  );
}

function capitalised(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}
