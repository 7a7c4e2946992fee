"use client";

import dynamic from "next/dynamic";

/**
 * The name of a resource by its ID. Loaded on demand, because it imports many contracts and most
 * lists don't need it.
 */
export const ResourceName = dynamic(
  () => import("./fetched-name.tsx").then((part) => part.FetchedName),
  { ssr: false },
);
