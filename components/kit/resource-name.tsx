"use client";

import dynamic from "next/dynamic";

/** What a resource is called, by its ID. Loaded once there is one to name: it knows many contracts, and most lists are about none. */
export const ResourceName = dynamic(
  () => import("./fetched-name.tsx").then((part) => part.FetchedName),
  { ssr: false },
);
