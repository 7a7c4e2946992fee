"use client";

import { ArrowUp } from "lucide-react";

/**
 * Announces new rows once. New rows are held back, so that no row moves, until it is clicked.
 */
export function NewRows({
  count,
  arrived,
  onShow,
}: {
  count: number;
  arrived: number;
  onShow: () => void;
}) {
  return (
    <div className="pointer-events-none sticky top-2 z-20 flex h-0 justify-center">
      <p role="status" className="sr-only">
        {count > 0 ? `${words(count)} waiting` : arrived > 0 && `${words(arrived)} shown`}
      </p>
      {count > 0 && (
        <button
          type="button"
          onClick={() => {
            onShow();
            window.scrollTo({ top: 0 });
          }}
          className="pointer-events-auto flex h-8 items-center gap-1.5 rounded-full bg-accent px-3 text-sm font-medium text-on-accent shadow-overlay hover:bg-accent-hover"
        >
          <ArrowUp aria-hidden className="size-4" />
          {count.toLocaleString("en")} new
        </button>
      )}
    </div>
  );
}

function words(count: number): string {
  return `${count.toLocaleString("en")} new ${count === 1 ? "exception" : "exceptions"}`;
}
