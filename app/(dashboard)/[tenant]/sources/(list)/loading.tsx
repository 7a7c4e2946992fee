import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { SourceListSkeleton } from "#components/sources/source-skeletons.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <SourceListSkeleton filters />
    </PageSkeleton>
  );
}
