"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { isRefusal } from "#components/api-client.ts";

const RETRIES = 2;

/** One cache per page load. Refusals aren't retried; only failures that may pass are. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [client] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: { retry: (failures, error) => failures < RETRIES && !isRefusal(error) },
        },
      }),
  );
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
