"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/**
 * A link that prefetches its full page on hover or focus. `eager`: its skeleton is prefetched right
 * away, for the few links on every page; list rows would fetch a page each.
 */
export function PrefetchLink({
  eager = false,
  ...props
}: ComponentProps<typeof Link> & { eager?: boolean }) {
  const [near, setNear] = useState(false);
  const approach = () => setNear(true);
  return (
    <Link
      prefetch={near || (eager ? null : false)}
      onPointerEnter={approach}
      onFocus={approach}
      {...props}
    />
  );
}
