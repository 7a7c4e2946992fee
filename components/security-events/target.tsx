"use client";

import Link from "next/link";
import { useTenantId } from "#components/kit/member.tsx";
import { shortTarget, targetHref } from "./words.ts";

/** What an event is about: a link where there is a page for it, above its row's own. */
export function Target({ target }: { target: string }) {
  const href = targetHref(useTenantId(), target);
  const shown = <code className="font-mono text-xs">{shortTarget(target)}</code>;
  if (!href) return <span title={target}>{shown}</span>;
  return (
    <Link href={href} prefetch={false} title={target} className="relative text-accent-text hover:underline">
      {shown}
    </Link>
  );
}
