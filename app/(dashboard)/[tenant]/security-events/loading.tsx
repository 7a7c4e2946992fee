import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { EventSkeleton } from "#components/security-events/event-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <EventSkeleton filters />
    </PageSkeleton>
  );
}
