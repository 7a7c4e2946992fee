import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { neighbours, PreviousNext } from "#components/docs/previous-next.tsx";
import { ResourcePage } from "#components/docs/reference/resource-page.tsx";
import { reference } from "../../reference.ts";

type Props = { params: Promise<{ resource: string }> };

async function resourceOf({ params }: Props) {
  const { resource: slug } = await params;
  return reference().resources.find((resource) => resource.slug === slug) ?? notFound();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { title, description } = await resourceOf(props);
  return { title, description };
}

export default async function Page(props: Props) {
  const resource = await resourceOf(props);
  return (
    <>
      <ResourcePage resource={resource} definitions={reference().definitions} />
      <PreviousNext {...neighbours(reference().resources, resource.href)} />
    </>
  );
}
