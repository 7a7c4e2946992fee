import { TestTubeDiagonal } from "lucide-react";
import { Badge } from "#components/ui/badge.tsx";
import { isSandbox } from "#lib/wire/sandbox.ts";

/** Says that a tenant is a sandbox; nothing for a live one. */
export function SandboxMark({ tenant }: { tenant: string }) {
  if (!isSandbox(tenant)) return null;
  return (
    <Badge tone="warning" icon={TestTubeDiagonal}>
      Sandbox
    </Badge>
  );
}
