"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/**
 * A link whose page is fetched whole once somebody is about to follow it: by then it is there. `eager`: its skeleton is
 * fetched before, as for the few links that stand on every page; a list's rows would ask for a page each.
 */
export function PrefetchLink({ eager = false, ...props }: ComponentProps<typeof Link> & { eager?: boolean }) {
  const [near, setNear] = useState(false);
  const approach = () => setNear(true);
  return <Link prefetch={near || (eager ? null : false)} onPointerEnter={approach} onFocus={approach} {...props} />;
}
