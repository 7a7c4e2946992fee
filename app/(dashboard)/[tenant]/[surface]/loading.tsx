import { RecordsSkeleton } from "#components/records/record-states.tsx";

export default function Loading() {
  return (
    <div className="px-4 pt-34 sm:px-6">
      <RecordsSkeleton label="records" />
    </div>
  );
}
