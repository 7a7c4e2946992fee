import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { MemberSkeleton } from "#components/members/member-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <MemberSkeleton filters />
    </PageSkeleton>
  );
}
