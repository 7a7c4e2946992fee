import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { RequestSkeleton } from "#components/requests/request-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <RequestSkeleton withList />
    </PageSkeleton>
  );
}
