import { PolicySkeleton } from "#components/sla-policy/policy-skeleton.tsx";

export default function Loading() {
  return (
    <div className="px-4 pt-19 sm:px-6 sm:pt-20 lg:pt-22">
      <PolicySkeleton />
    </div>
  );
}
