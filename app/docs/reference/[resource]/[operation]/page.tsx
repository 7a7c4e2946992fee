import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { neighbours, PreviousNext } from "#components/docs/previous-next.tsx";
import { OperationPage } from "#components/docs/reference/operation-page.tsx";
import { origin } from "../../../origin.ts";
import { reference } from "../../../reference.ts";

type Props = { params: Promise<{ resource: string; operation: string }> };

const PAGES = reference().resources.flatMap(({ operations }) =>
  operations.map(({ href, contract }) => ({ href, title: contract.summary })),
);

async function operationOf({ params }: Props) {
  const { resource: slug, operation: name } = await params;
  const resource = reference().resources.find((resource) => resource.slug === slug) ?? notFound();
  return {
    resource,
    operation: resource.operations.find((operation) => operation.slug === name) ?? notFound(),
  };
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { contract } = (await operationOf(props)).operation;
  return { title: contract.summary, description: `${contract.method} ${contract.path}` };
}

export default async function Page(props: Props) {
  const { resource, operation } = await operationOf(props);
  return (
    <>
      <OperationPage
        operation={operation}
        resource={resource}
        origin={origin()}
        definitions={reference().definitions}
      />
      <PreviousNext {...neighbours(PAGES, operation.href)} />
    </>
  );
}
