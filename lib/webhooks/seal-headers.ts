import { sealSecret } from "./seal-secret.ts";

type Client = { client_secret?: string | undefined; token_url: string };

/** Encrypts a client secret; a client without one keeps what is stored. */
export function sealClient<Settings extends Client>(
  { client_secret, ...settings }: Settings,
  tenantId: string,
): object {
  return {
    ...settings,
    ...(client_secret !== undefined && sealSecret(client_secret, tenantId)),
  };
}

type Header = { name: string; value?: string | undefined };

/** Encrypts the values of headers; one without a value keeps what is stored. */
export function sealHeaders(headers: readonly Header[], tenantId: string): object[] {
  return headers.map(({ name, value }) => ({
    name,
    ...(value !== undefined && sealSecret(value, tenantId)),
  }));
}
