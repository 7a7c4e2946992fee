"use client";

import {
  CircleCheck,
  MessageSquare,
  Pause,
  Play,
  RotateCcw,
  Undo2,
  UserCheck,
  UserRound,
} from "lucide-react";
import { type ComponentProps, type ReactNode, useId } from "react";
import { PanelDock } from "#components/kit/panel-parts.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Button } from "#components/ui/button.tsx";
import { Keys } from "#components/ui/keys.tsx";
import { useServerTime } from "#components/ui/server-clock.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { pauseFault } from "../pauses/pause-fault.ts";
import type { ExceptionActions } from "../use-exception-actions.ts";
import { CloseForm } from "./close-form.tsx";
import { CommentForm } from "./comment-form.tsx";

/** The actions on an exception with their keys, or the form of a chosen action. */
export function ExceptionDock({
  exception,
  acting,
}: {
  exception: Exception;
  acting: ExceptionActions;
}) {
  const { form, actions, undoable } = acting;
  const isOpen = exception.closed_at === null;
  const isPaused = exception.paused_at !== null;
  const faultId = useId();
  const fault = useServerTime(
    (at) => (isPaused ? "" : pauseFault(exception, at)),
    new Date().toISOString(),
  );
  return (
    <PanelDock>
      {form === "close" && isOpen ? (
        <CloseForm onClose={actions.close} onCancel={actions.cancel} />
      ) : form === "comment" ? (
        <CommentForm id={exception.id} onClose={actions.cancel} />
      ) : (
        <div className="grid grid-cols-3 gap-2">
          {isOpen ? (
            <ActionButton
              letter="R"
              icon={<CircleCheck aria-hidden className="size-4" />}
              variant="primary"
              onClick={actions.resolve}
            >
              Resolve
            </ActionButton>
          ) : (
            <ActionButton
              letter="R"
              icon={<RotateCcw aria-hidden className="size-4 text-muted" />}
              onClick={actions.resolve}
            >
              Reopen
            </ActionButton>
          )}
          <ActionButton
            letter="A"
            icon={<UserRound aria-hidden className="size-4 text-muted" />}
            onClick={actions.assign}
          >
            Assign
          </ActionButton>
          <ActionButton
            letter="M"
            icon={<UserCheck aria-hidden className="size-4 text-muted" />}
            onClick={actions.take}
          >
            To me
          </ActionButton>
          <ActionButton
            letter="C"
            icon={<MessageSquare aria-hidden className="size-4 text-muted" />}
            onClick={actions.comment}
          >
            Comment
          </ActionButton>
          <ActionButton
            letter="P"
            icon={
              isPaused ? (
                <Play aria-hidden className="size-4 text-muted" />
              ) : (
                <Pause aria-hidden className="size-4 text-muted" />
              )
            }
            disabled={fault !== ""}
            aria-describedby={faultId}
            onClick={actions.pause}
          >
            {isPaused ? "Resume" : "Pause"}
          </ActionButton>
          <ActionButton
            letter="U"
            icon={<Undo2 aria-hidden className="size-4 text-muted" />}
            disabled={!undoable}
            title={undoable && `Undo: ${undoable}`}
            onClick={actions.undo}
          >
            Undo
          </ActionButton>
          <p id={faultId} className="col-span-3 text-xs text-muted empty:hidden">
            {fault && `Can't pause. ${fault}`}
          </p>
        </div>
      )}
    </PanelDock>
  );
}

function ActionButton({
  letter,
  icon,
  children,
  ...button
}: ComponentProps<typeof Button> & { letter: string; icon: ReactNode }) {
  const { singleKeys } = usePreferences();
  return (
    <Button
      size="sm"
      aria-keyshortcuts={singleKeys ? letter : undefined}
      {...button}
      className="w-full min-w-0"
    >
      {icon}
      {children}
      {singleKeys && (
        <span className="ml-auto max-sm:hidden">
          <Keys keys={[letter]} />
        </span>
      )}
    </Button>
  );
}
