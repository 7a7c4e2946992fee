"use client";

import { useEffect, useRef } from "react";
import { toast } from "#components/ui/toast.ts";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { awaitsFirstCall } from "./first-call.ts";

/** Shows a toast when a waiting key makes its first call. */
export function useFirstCallToast(items: ApiKey[], asOf: string | undefined): void {
  const waiting = useRef(new Set<string>());
  useEffect(() => {
    if (!asOf) return;
    for (const key of items) {
      if (awaitsFirstCall(key, Date.parse(asOf))) waiting.current.add(key.id);
      else if (waiting.current.delete(key.id) && key.request_count > 0)
        toast(`${key.name} made its first call`);
    }
  }, [items, asOf]);
}
