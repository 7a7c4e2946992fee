import { CalendarListSkeleton } from "#components/calendars/calendar-skeletons.tsx";
import { PageSkeleton } from "#components/kit/list-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <CalendarListSkeleton />
    </PageSkeleton>
  );
}
