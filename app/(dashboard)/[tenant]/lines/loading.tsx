import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { LineSkeleton } from "#components/sources/lines/line-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton>
      <LineSkeleton filters />
    </PageSkeleton>
  );
}
