"use client";

import { Circle, CircleCheck } from "lucide-react";
import { useTenantId } from "#components/kit/member.tsx";
import { classes } from "#components/ui/classes.ts";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { FirstStep, FirstSteps } from "#lib/first-steps/contract.ts";

type Words = { title: string; href: (tenant: string, steps: FirstSteps) => string };

const WORDS: Record<FirstStep, Words> = {
  create_key: { title: "Create an API key", href: (tenant) => `/${tenant}/api-keys?new=true` },
  call_api: {
    title: "Make your first call",
    href: (tenant, { key_id }) => `/${tenant}/api-keys${key_id ? `?key=${key_id}` : ""}`,
  },
  register_webhook: {
    title: "Register a webhook",
    href: (tenant) => `/${tenant}/webhooks?new=true`,
  },
  receive_event: {
    title: "Receive a test event",
    href: (tenant, { webhook_id }) => `/${tenant}/webhooks${webhook_id ? `/${webhook_id}` : ""}`,
  },
};

/**
 * The steps, with instructions for the next one. In a short `sidebar` only the next one, because
 * the navigation needs the room.
 */
export function StepList({
  firstSteps,
  sidebar = false,
  onGo,
}: {
  firstSteps: FirstSteps;
  sidebar?: boolean;
  onGo?: () => void;
}) {
  const tenantId = useTenantId();
  const next = firstSteps.steps.find(({ done }) => !done)?.step;
  return (
    <ol className="flex flex-col gap-0.5">
      {firstSteps.steps.map(({ step, done }) => (
        <li
          key={step}
          className={classes(sidebar && step !== next && "lg:[@media(max-height:60rem)]:hidden")}
        >
          <PrefetchLink
            href={WORDS[step].href(tenantId, firstSteps)}
            onClick={onGo}
            className={classes(
              "flex min-h-8 items-center gap-2 rounded-md",
              "px-2 text-sm hover:bg-hover max-lg:min-h-11",
              done ? "text-muted" : "text-ink",
              step === next && "font-medium",
            )}
          >
            {done ? (
              <CircleCheck aria-hidden className="size-4 shrink-0 text-accent-text" />
            ) : (
              <Circle aria-hidden className="size-4 shrink-0 text-muted" />
            )}
            <span className="sr-only">{done ? "Done:" : "To do:"}</span>
            {WORDS[step].title}
          </PrefetchLink>
          {step === next && <Next step={step} tenantId={tenantId} />}
        </li>
      ))}
    </ol>
  );
}

/** The event a step waits for. */
function Next({ step, tenantId }: { step: FirstStep; tenantId: string }) {
  if (step === "call_api") {
    return (
      <div className="flex items-center gap-1 pr-0.5 pl-8">
        <Waiting>Waiting for your first request…</Waiting>
        <CopyButton text={curlOf(tenantId)} label="Copy a command to try" />
      </div>
    );
  }
  if (step === "receive_event") {
    return (
      <div className="pb-1 pl-8">
        <Waiting>Waiting for your receiver to accept an event…</Waiting>
      </div>
    );
  }
  return null;
}

function Waiting({ children }: { children: string }) {
  return (
    <p className="flex min-w-0 flex-1 items-start gap-1.5 text-xs text-muted">
      <span aria-hidden className="mt-1 size-2 shrink-0 animate-pulse rounded-full bg-accent" />
      {children}
    </p>
  );
}

/** On the server there is nothing to copy yet. */
function curlOf(tenantId: string): string {
  return `curl ${globalThis.location?.origin}/v1/me -H "Authorization: Bearer <key_id>.<key_secret>" -H "X-Tenant-Id: ${tenantId}"`;
}
