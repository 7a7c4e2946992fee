"use client";

import { useQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { useMember } from "#components/kit/member.tsx";
import { roleNames } from "#components/kit/role-names.ts";
import { Combobox, type Option } from "#components/ui/combobox.tsx";
import type { Member } from "#lib/members/contract.ts";
import { USER_REFERENCE } from "#lib/wire/schema.ts";
import { assignable } from "./assignable.ts";
import { Person } from "./person.tsx";
import { membersQuery } from "./queries.ts";

type TriggerProps = Pick<
  ComponentProps<typeof Combobox>,
  "trigger" | "triggerClass" | "align" | "disabled" | "opener"
>;

/**
 * Picks an assignee: a member, or any typed name, because an identity provider's users may be
 * unknown here. `value`: the current assignee; omitted for several items with different ones.
 */
export function AssigneePicker({
  value,
  onChange,
  ...trigger
}: TriggerProps & { value?: string | null; onChange: (reference: string | null) => void }) {
  const { tenant, self } = useMember();
  const [search, setSearch] = useState("");
  const [opened, setOpened] = useState(false);
  const query = search.trim().replace(/^user:/, "");
  const everybody = useQuery({ ...membersQuery(tenant.id), enabled: opened });
  // A tenant with more members than one page is searched by the server.
  const found = useQuery({
    ...membersQuery(tenant.id, query),
    enabled: opened && query !== "" && everybody.data?.next_cursor != null,
  });
  const known = [...(everybody.data?.items ?? []), ...(found.data?.items ?? [])];
  const isLoading = everybody.isPending || found.isLoading;
  const options = optionsOf(known, { query, self, value, isLoading });
  return (
    <Combobox
      label="Assignee"
      placeholder="Search or type a name"
      search={search}
      onSearch={setSearch}
      options={options}
      onChoose={onChange}
      onOpen={() => setOpened(true)}
      settling={isLoading && query !== ""}
      note={noteOn(query, everybody.error, isLoading)}
      {...trigger}
    />
  );
}

type OptionInput = {
  query: string;
  self: string;
  value?: string | null | undefined;
  isLoading: boolean;
};

function optionsOf(known: Member[], { query, self, value, isLoading }: OptionInput) {
  const roles = new Map(
    known.map((member) => [
      member.user,
      member.source === "directory" ? roleNames(member.roles) : "",
    ]),
  );
  const options: Option<string | null>[] = assignable({
    query,
    self,
    value,
    members: roles.keys(),
  }).map((user) => ({
    key: user ?? "nobody",
    value: user,
    current: user === value,
    label:
      user === null ? (
        "Unassigned"
      ) : (
        <>
          <Person reference={user} />
          <Remark>{user === self ? "you" : roles.get(user)}</Remark>
        </>
      ),
  }));
  const typed = `user:${query}`;
  // Until the search has run, it is unknown whether the name is a member's.
  if (isLoading) return options;
  const isListed = roles.has(typed) || typed === self || typed === value;
  if (USER_REFERENCE.test(typed) && !isListed)
    options.push({ key: typed, value: typed, label: <Typed name={query} /> });
  return options;
}

function Typed({ name }: { name: string }) {
  return (
    <>
      <UserPlus aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="truncate">Assign to “{name}”</span>
      <Remark>not a listed member</Remark>
    </>
  );
}

function Remark({ children }: { children: ReactNode }) {
  return <span className="ml-auto shrink-0 text-xs text-muted empty:hidden">{children}</span>;
}

function noteOn(query: string, error: Error | null, loading: boolean): ReactNode {
  if (/\s/.test(query)) return "Names can't contain spaces.";
  if (error) return "Couldn't load members. You can still type a name.";
  return loading ? "Loading members…" : null;
}
