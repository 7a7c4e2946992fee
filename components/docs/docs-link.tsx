"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/** Prefetches on hover or focus, not when visible: the navigation has a hundred links. */
export function DocsLink(props: ComponentProps<typeof Link>) {
  const [isLikely, setIsLikely] = useState(false);
  const prefetch = () => setIsLikely(true);
  return <Link {...props} prefetch={isLikely} onPointerEnter={prefetch} onFocus={prefetch} />;
}
