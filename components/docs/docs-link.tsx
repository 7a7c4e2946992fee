"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/** Prefetches on hover or focus, not when visible: the navigation has a hundred links. */
export function DocsLink(props: ComponentProps<typeof Link>) {
  const [meant, setMeant] = useState(false);
  const mean = () => setMeant(true);
  return <Link {...props} prefetch={meant} onPointerEnter={mean} onFocus={mean} />;
}
