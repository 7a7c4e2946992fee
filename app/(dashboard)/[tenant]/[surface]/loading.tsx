import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { RecordSkeleton } from "#components/records/record-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <RecordSkeleton label="records" filters />
    </PageSkeleton>
  );
}
