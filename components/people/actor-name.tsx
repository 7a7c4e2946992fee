"use client";

import { Time } from "#components/ui/time.tsx";
import { personName } from "./person.tsx";

/** When something was done, and who did it if that is known. */
export function ActorName({ iso, actor }: { iso: string; actor: string | null }) {
  return (
    <>
      <Time iso={iso} />
      {actor !== null && <> by {personName(actor)}</>}
    </>
  );
}
