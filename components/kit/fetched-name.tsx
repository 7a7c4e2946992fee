"use client";

import { useQuery } from "@tanstack/react-query";
import { getApiKeyContract } from "#lib/api-keys/contract.ts";
import { getExceptionContract } from "#lib/exceptions/contract.ts";
import { getReconciliationContract } from "#lib/reconciliations/contract.ts";
import { getSourceContract } from "#lib/sources/contract.ts";
import { getWebhookContract } from "#lib/webhooks/contract.ts";
import type { Contract } from "#lib/wire/contract.ts";
import { useTenantId } from "./member.tsx";
import { useIsAllowed } from "./permissions.ts";
import { resourceKey, singleQuery } from "./query.ts";

type Kind = {
  contract: Contract;
  params?: (tenant: string, id: string) => Record<string, string>;
  name: string;
};

/** By the prefix of an ID: the operation that returns the name, and its field. */
const KINDS: Record<string, Kind> = {
  key: {
    contract: getApiKeyContract as unknown as Contract,
    params: (id, keyId) => ({ id, keyId }),
    name: "name",
  },
  whk: { contract: getWebhookContract as unknown as Contract, name: "url" },
  exc: { contract: getExceptionContract as unknown as Contract, name: "title" },
  rcn: { contract: getReconciliationContract as unknown as Contract, name: "name" },
  src: { contract: getSourceContract as unknown as Contract, name: "name" },
};
const STALE_MS = 60_000;

/**
 * The name of a resource by its ID. Shows the ID if the resource has no name, no longer exists, or
 * can't be read.
 */
export function FetchedName({ id }: { id: string }) {
  const kind = KINDS[id.slice(0, id.indexOf("_"))];
  return kind ? <Named kind={kind} id={id} /> : id;
}

function Named({
  kind: { contract, params = (_, id) => ({ id }), name },
  id,
}: {
  kind: Kind;
  id: string;
}) {
  const tenant = useTenantId();
  const enabled = useIsAllowed(contract.access);
  const question = {
    keyPrefix: resourceKey(tenant, "names"),
    contract,
    call: { tenant, params: params(tenant, id) },
  };
  const { data } = useQuery({
    ...singleQuery(question, { staleTime: STALE_MS, retry: false }),
    enabled,
  });
  return (data as Record<string, string> | undefined)?.[name] ?? id;
}
