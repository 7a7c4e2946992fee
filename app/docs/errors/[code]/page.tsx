import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ErrorPage } from "#components/docs/errors/error-page.tsx";
import { neighbours, PreviousNext } from "#components/docs/previous-next.tsx";
import { ERROR_CODES, type ErrorCode } from "#lib/wire/errors.ts";
import { origin } from "../../origin.ts";
import { reference } from "../../reference.ts";

type Props = { params: Promise<{ code: string }> };

const PAGES = ERROR_CODES.map((code) => ({ href: `/docs/errors/${code}`, title: code }));

async function codeOf({ params }: Props): Promise<ErrorCode> {
  const { code } = await params;
  return ERROR_CODES.find((known) => known === code) ?? notFound();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: await codeOf(props) };
}

export default async function Page(props: Props) {
  const code = await codeOf(props);
  return (
    <>
      <ErrorPage code={code} resources={reference().resources} origin={origin()} />
      <PreviousNext {...neighbours(PAGES, `/docs/errors/${code}`)} />
    </>
  );
}
