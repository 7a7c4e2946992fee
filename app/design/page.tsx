import type { Metadata } from "next";
import { ColourSection } from "#components/design/colour-section.tsx";
import { Primitives } from "#components/design/primitives.tsx";
import { RiskSection } from "#components/design/risk-section.tsx";
import { MotionSection, SpaceSection, TypeSection } from "#components/design/scales.tsx";
import { QueryProvider } from "#components/kit/query-provider.tsx";
import { Toaster } from "#components/ui/toaster.tsx";

export const metadata: Metadata = { title: "Design" };

/** The design system: the components and tokens the pages use. Not linked. */
export default function DesignPage() {
  return (
    <QueryProvider>
      <main
        id="content"
        className="mx-auto flex w-full max-w-5xl flex-col gap-14 bg-surface px-4 py-10 sm:px-8"
      >
        <header className="flex max-w-prose flex-col gap-2">
          <h1 className="text-2xl font-semibold tracking-tight">Design</h1>
          <p className="text-muted">
            The parts every page is made of: dense and calm, with colour kept for risk. The pages
            use exactly these, so a change shows here first.
          </p>
        </header>
        <TypeSection />
        <SpaceSection />
        <ColourSection />
        <RiskSection />
        <MotionSection />
        <Primitives />
      </main>
      <Toaster />
    </QueryProvider>
  );
}
