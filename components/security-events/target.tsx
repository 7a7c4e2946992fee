"use client";

import Link from "next/link";
import { useTenantId } from "#components/kit/member.tsx";
import { shortTarget, targetHref } from "./labels.ts";

/** An event's target, as a link if it has a page. It lies above the row's own link. */
export function Target({ target }: { target: string }) {
  const href = targetHref(useTenantId(), target);
  const shown = <code className="font-mono text-xs">{shortTarget(target)}</code>;
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
