"use client";

import Link from "next/link";
import { serverNow } from "#components/ui/server-clock.ts";
import { getRequestContract } from "#lib/request-log/contract.ts";
import { useTenantId } from "./member.tsx";
import { useIsAllowed } from "./permissions.ts";

/** How long the request log keeps requests. */
const RETENTION_MS = 14 * 86_400_000;

/**
 * A link to the request that did something at a time, for members who may read requests, while the
 * log still has it.
 */
export function RequestLink({ id, at }: { id: string; at: string }) {
  const tenant = useTenantId();
  const may = useIsAllowed(getRequestContract.access);
  if (!may || Date.parse(at) < serverNow() - RETENTION_MS) return null;
  return (
    <Link
      href={`/${tenant}/requests?request=${id}`}
      prefetch={false}
      title={id}
      className="text-accent-text hover:underline"
    >
      Request
    </Link>
  );
}
