import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { findSurface } from "#components/records/surface.ts";

type Props = { params: Promise<{ surface: string }>; children: ReactNode };

/** Above the page's loading state, which would have answered 200 already. */
export default async function SurfaceLayout({ params, children }: Props) {
  if (!findSurface((await params).surface)) notFound();
  return children;
}
