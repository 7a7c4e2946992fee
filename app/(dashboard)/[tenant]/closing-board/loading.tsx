import { PageSkeleton } from "#components/kit/list-skeleton.tsx";
import { BoardSkeleton } from "#components/reconciliations/closing-board/board-skeleton.tsx";

export default function Loading() {
  return (
    <PageSkeleton action>
      <BoardSkeleton filters />
    </PageSkeleton>
  );
}
