type Texts = {
  counterparty: string | null;
  description: string | null;
  reference: string | null;
  external_id?: string | null;
};

/** The name of a line: its first available text. */
export function lineName({ counterparty, description, reference, external_id }: Texts): string {
  return counterparty ?? description ?? reference ?? external_id ?? "No text";
}
