import { KeysSkeleton } from "#components/api-keys/keys-skeleton.tsx";

export default function Loading() {
  return (
    <div className="pt-24">
      <KeysSkeleton />
    </div>
  );
}
