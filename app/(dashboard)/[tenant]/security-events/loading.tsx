import { EventsSkeleton } from "#components/security-events/events-skeleton.tsx";

export default function Loading() {
  return (
    <div className="pt-24">
      <EventsSkeleton />
    </div>
  );
}
