"use client";

import Link from "next/link";
import { useTenantId } from "#components/kit/member.tsx";
import { ResourceName } from "#components/kit/resource-name.tsx";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { shortTarget, targetHref } from "./labels.ts";
import { targetNameIn } from "./sentence.ts";

type Props = { event: Pick<SecurityEvent, "details" | "type">; target: string };

/** An event's target, as a link if it has a page. It lies above the row's own link. */
export function Target({ event, target }: Props) {
  const href = targetHref(useTenantId(), target, event.details);
  const content = <TargetName event={event} target={target} />;
  if (!href) return <span title={target}>{content}</span>;
  return (
    <Link
      href={href}
      prefetch={false}
      title={target}
      className="relative text-accent-text hover:underline"
    >
      {content}
    </Link>
  );
}

/** Targets that are never deleted, so that their name now can be fetched for an old event. */
const NAMED = /^(rcn|src)_/;

/** The name at the time of the event, otherwise the current name. */
function TargetName({ event, target }: Props) {
  if (target.startsWith("user:")) return target.slice("user:".length);
  const name = targetNameIn(event, target);
  if (name !== null) return name;
  // A refused call may have named another tenant's resource, or one that doesn't exist.
  if (NAMED.test(target) && event.type !== "access.refused") return <ResourceName id={target} />;
  return <code className="font-mono text-xs">{shortTarget(target)}</code>;
}
