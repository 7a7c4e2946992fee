import { BoardSkeleton } from "#components/exceptions/board/board-skeleton.tsx";
import { PageSkeleton } from "#components/kit/list-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton>
      <BoardSkeleton />
    </PageSkeleton>
  );
}
