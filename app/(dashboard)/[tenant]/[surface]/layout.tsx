import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { findSurface } from "#components/records/surface.ts";

type Props = { params: Promise<{ surface: string }>; children: ReactNode };

/** Checked here, because the page's loading state would already have responded with 200. */
export default async function SurfaceLayout({ params, children }: Props) {
  if (!findSurface((await params).surface)) notFound();
  return children;
}
