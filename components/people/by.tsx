"use client";

import { Time } from "#components/ui/time.tsx";
import { personName } from "./person.tsx";

/** When something was done, and by whom. */
export function By({ iso, actor }: { iso: string; actor: string }) {
  return (
    <>
      <Time iso={iso} /> by {personName(actor)}
    </>
  );
}
