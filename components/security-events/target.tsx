"use client";

import Link from "next/link";
import { useTenantId } from "#components/kit/member.tsx";
import { ResourceName } from "#components/kit/resource-name.tsx";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { shortTarget, targetHref } from "./labels.ts";
import { nameIn } from "./sentence.ts";

type Props = { event: Pick<SecurityEvent, "details">; target: string };

/** An event's target, as a link if it has a page. It lies above the row's own link. */
export function Target({ event, target }: Props) {
  const href = targetHref(useTenantId(), target);
  const shown = <TargetName event={event} target={target} />;
  if (!href) return <span title={target}>{shown}</span>;
  return (
    <Link
      href={href}
      prefetch={false}
      title={target}
      className="relative text-accent-text hover:underline"
    >
      {shown}
    </Link>
  );
}

/** Targets that have names: periods, sources and files. */
const NAMED = /^(rcn|src|imp)_/;

/** By the name that it had then, otherwise by its name now. */
function TargetName({ event, target }: Props) {
  if (!NAMED.test(target)) return <code className="font-mono text-xs">{shortTarget(target)}</code>;
  const name = nameIn(event);
  if (name !== null) return name;
  return target.startsWith("imp_") ? shortTarget(target) : <ResourceName id={target} />;
}
