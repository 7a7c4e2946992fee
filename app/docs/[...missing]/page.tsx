import { notFound } from "next/navigation";

/** Else the address would be a tenant's page. */
export default function Page() {
  notFound();
}
