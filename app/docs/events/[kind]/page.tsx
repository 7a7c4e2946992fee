import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { neighbours, PreviousNext } from "#components/docs/previous-next.tsx";
import { EventPage } from "#components/docs/reference/event-page.tsx";
import { reference } from "../../reference.ts";

type Props = { params: Promise<{ kind: string }> };

const PAGES = reference().events.map(({ href, kind }) => ({ href, title: kind }));

async function eventOf({ params }: Props) {
  const { kind } = await params;
  return reference().events.find((event) => event.kind === kind) ?? notFound();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { kind, summary } = await eventOf(props);
  return { title: kind, description: summary };
}

export default async function Page(props: Props) {
  const event = await eventOf(props);
  return (
    <>
      <EventPage event={event} definitions={reference().definitions} />
      <PreviousNext {...neighbours(PAGES, event.href)} />
    </>
  );
}
