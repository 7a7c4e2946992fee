"use client";

import { Toast } from "@base-ui/react/toast";
import { CircleCheck, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";

/** Says what came of something, from anywhere in the page. */
export const toast = Toast.createToastManager();

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toast}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 left-4 z-50 flex flex-col gap-2 sm:left-auto sm:w-90">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasts() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((shown) => {
    const failed = shown.type === "error";
    const Icon = failed ? TriangleAlert : CircleCheck;
    return (
      <Toast.Root
        key={shown.id}
        toast={shown}
        swipeDirection={["right", "down"]}
        className="rounded-lg bg-raised shadow-overlay transition-[opacity,translate] duration-200 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-3 data-starting-style:opacity-0"
      >
        <Toast.Content className="flex items-start gap-2.5 p-3">
          <Icon aria-hidden className={failed ? "mt-0.5 size-4 text-danger-text" : "mt-0.5 size-4 text-accent-text"} />
          <div className="min-w-0 flex-1 text-sm">
            <Toast.Title className="font-medium" />
            <Toast.Description className="text-muted" />
          </div>
          <Toast.Close
            aria-label="Dismiss"
            className="flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink"
          >
            <X aria-hidden className="size-4" />
          </Toast.Close>
        </Toast.Content>
      </Toast.Root>
    );
  });
}
