import { KeySkeleton } from "#components/api-keys/key-skeleton.tsx";
import { PageSkeleton } from "#components/kit/list-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <KeySkeleton filters />
    </PageSkeleton>
  );
}
