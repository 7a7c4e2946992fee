import { PageSkeleton, PartSkeleton } from "#components/kit/list-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton>
      <div className="max-w-3xl">
        <PartSkeleton
          label="Loading your profile"
          bars={["h-40 w-full", "h-72 w-full", "h-44 w-full"]}
        />
      </div>
    </PageSkeleton>
  );
}
