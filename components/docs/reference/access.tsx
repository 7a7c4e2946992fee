import { KeyRound, type LucideIcon, ServerCog, ShieldCheck, UserRound } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import type { Access } from "#lib/wire/access.ts";

/** Who can call an operation, by kind of credential, including those that can't. */
export function AccessTable({ access }: { access: Access }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 text-base">
      {callers(access).map(({ icon: Icon, name, may }) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid items-baseline">
          <dt className="flex items-center gap-2 text-muted">
            <Icon aria-hidden className="size-4 self-center" />
            {name}
          </dt>
          <dd>{may}</dd>
        </div>
      ))}
    </dl>
  );
}

type Caller = { icon: LucideIcon; name: string; may: ReactNode };

function callers({ roles, scope, anyKey, service, publishable }: Access): Caller[] {
  return [
    {
      icon: UserRound,
      name: "User",
      may: roles === "any" ? "any member of the tenant" : <Words words={roles} />,
    },
    {
      icon: KeyRound,
      name: "API key",
      may: scope ? <Words words={[scope]} /> : anyKey ? "any key of the tenant" : "no",
    },
    {
      icon: ServerCog,
      name: "Service-role key",
      may: service ? "yes, recorded as a security event" : "no",
    },
    {
      icon: ShieldCheck,
      name: "Publishable key",
      may: publishable ? (scope ? "yes, published records only" : "yes") : "no",
    },
  ];
}

function Words({ words }: { words: readonly string[] }) {
  return words.map((word, index) => (
    <span key={word}>
      {index > 0 && " or "}
      <Link
        href="/docs/guides/credentials"
        prefetch={false}
        className="font-mono text-sm underline decoration-line underline-offset-4 hover:decoration-current"
      >
        {word}
      </Link>
    </span>
  ));
}
