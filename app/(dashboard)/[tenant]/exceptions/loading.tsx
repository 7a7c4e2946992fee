import { BoardSkeleton } from "#components/exceptions/board-skeleton.tsx";

export default function Loading() {
  return (
    <div className="pt-19 sm:pt-20 lg:pt-22">
      <BoardSkeleton />
    </div>
  );
}
