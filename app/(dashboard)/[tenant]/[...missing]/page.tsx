import { notFound } from "next/navigation";

/** Any other path of a tenant: not found, inside the shell. */
export default function MissingPage() {
  notFound();
}
