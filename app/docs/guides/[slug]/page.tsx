import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { GuidePage } from "#components/docs/guide-page.tsx";
import { neighbours, PreviousNext } from "#components/docs/previous-next.tsx";
import { guides, textWithForms } from "../../guides.ts";

type Props = { params: Promise<{ slug: string }> };

async function guideOf({ params }: Props) {
  const { slug } = await params;
  const all = await guides();
  const guide = all.find((guide) => guide.slug === slug) ?? notFound();
  return { guide, ...neighbours(all, guide.href) };
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { guide } = await guideOf(props);
  return { title: guide.title, description: guide.lead };
}

export default async function Page(props: Props) {
  const { guide, previous, next } = await guideOf(props);
  return (
    <GuidePage {...guide} text={textWithForms(guide)}>
      <PreviousNext previous={previous} next={next} />
    </GuidePage>
  );
}
