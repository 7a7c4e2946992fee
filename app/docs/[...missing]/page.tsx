import { notFound } from "next/navigation";

/** Without this route, the path would match a tenant's page. */
export default function Page() {
  notFound();
}
