import { BOOK_DIFFERENCES } from "#e2e/book-differences.ts";
import { sql } from "#e2e/fixtures.ts";

export type Difference = {
  what: string;
  subject: string;
  computed: string | null;
  shown: string | null;
};

export function bookDifferences(tenant: string): Promise<Difference[]> {
  return sql<Difference>(BOOK_DIFFERENCES, [tenant]);
}
