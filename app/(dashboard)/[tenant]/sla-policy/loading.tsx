import { PolicySkeleton } from "#components/exceptions/policy/policy-skeleton.tsx";
import { PageSkeleton } from "#components/kit/list-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton>
      <PolicySkeleton />
    </PageSkeleton>
  );
}
