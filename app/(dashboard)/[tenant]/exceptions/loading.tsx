import { BoardSkeleton } from "#components/exceptions/board-skeleton.tsx";

export default function Loading() {
  return (
    <div className="pt-24">
      <BoardSkeleton />
    </div>
  );
}
