import { PageSkeleton, PartSkeleton } from "#components/kit/list-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton>
      <PartSkeleton label="Loading the import" bars={["h-56 w-full max-w-3xl"]} />
    </PageSkeleton>
  );
}
