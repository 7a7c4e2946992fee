import { PageSkeleton } from "#components/kit/skeletons.tsx";
import { EventSkeleton } from "#components/security-events/event-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <EventSkeleton filters />
    </PageSkeleton>
  );
}
