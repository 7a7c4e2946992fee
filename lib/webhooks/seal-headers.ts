import { sealSecret } from "./seal-secret.ts";

type Header = { name: string; value?: string | undefined };

/** Encrypts the values of headers; one without a value keeps what is stored. */
export function sealHeaders(headers: readonly Header[], tenantId: string): object[] {
  return headers.map(({ name, value }) => ({
    name,
    ...(value !== undefined && sealSecret(value, tenantId)),
  }));
}
