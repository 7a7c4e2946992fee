"use client";

import { useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useEffect } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelSkeleton } from "#components/kit/panel-parts.tsx";
import { ResourcePanel } from "#components/kit/resource-panel.tsx";
import { cachedException } from "../board/board-cache.ts";
import { PauseExceptionDialog } from "../pauses/pause-exception-dialog.tsx";
import { exceptionById } from "../queries.ts";

import { useExceptionActions } from "../use-exception-actions.ts";

const loadDetails = () => import("./exception-details.tsx");
const ExceptionDetails = dynamic(() => loadDetails().then((part) => part.ExceptionDetails), {
  loading: () => <PanelSkeleton label="Loading the exception" />,
});

type Props = {
  id: string | null;
  selects: boolean;
  onOpen: (id: string) => void;
  onClose: () => void;
};

/**
 * The exception in the URL, filled from its row until it has loaded. `selects` says that rows are
 * selected. `onOpen` opens another one.
 */
export function ExceptionPanel({ id, selects, onOpen, onClose }: Props) {
  const tenantId = useTenantId();
  const cache = useQueryClient();
  const acting = useExceptionActions(id, { selects, onOpen });

  // Loads when a row is hovered or focused, so that the panel opens with its content.
  useEffect(() => {
    const ready = new AbortController();
    const load = ({ target }: Event) => {
      if (!(target instanceof Element) || !target.closest("a[data-row]")) return;
      ready.abort();
      void loadDetails();
    };
    document.addEventListener("pointerover", load, { signal: ready.signal });
    document.addEventListener("focusin", load, { signal: ready.signal });
    return () => ready.abort();
  }, []);

  return (
    <>
      <ResourcePanel
        id={id}
        query={(exceptionId) => exceptionById(tenantId, exceptionId)}
        noun="exception"
        title={({ title }) => title}
        known={(exceptionId) => cachedException(cache, tenantId, exceptionId)}
        onClose={onClose}
      >
        {(exception) => <ExceptionDetails exception={exception} acting={acting} />}
      </ResourcePanel>
      {acting.pausing && (
        <PauseExceptionDialog id={acting.pausing} onClose={acting.actions.cancel} />
      )}
    </>
  );
}
