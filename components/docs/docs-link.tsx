"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/** Fetches its page when it is pointed at or focused, not when it is in sight: the navigation has a hundred of them. */
export function DocsLink(props: ComponentProps<typeof Link>) {
  const [meant, setMeant] = useState(false);
  const mean = () => setMeant(true);
  return <Link {...props} prefetch={meant} onPointerEnter={mean} onFocus={mean} />;
}
