"use client";

import "./globals.css";
import { PageFailed } from "#components/ui/page-failed.tsx";

export default function GlobalError(props: { error: unknown; retry: () => void }) {
  return (
    <html lang="en">
      <body>
        <main className="flex min-h-dvh flex-col justify-center">
          <PageFailed {...props} />
        </main>
      </body>
    </html>
  );
}
