import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { OverviewSkeleton } from "#components/overview/overview-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton>
      <OverviewSkeleton />
    </PageSkeleton>
  );
}
