"use client";

import { useQuery } from "@tanstack/react-query";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { roleNames } from "#components/kit/role-names.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { personName } from "#components/people/person.tsx";
import { storeLocalTimeZone } from "#components/preferences/write-cookie.ts";
import { Button } from "#components/ui/button.tsx";
import type { AccountResponse } from "#lib/accounts/contract.ts";
import { callAccount } from "./account-client.ts";
import { postAuth } from "./auth-client.ts";
import { useLinkToken } from "./link-token.ts";
import { NewPasswordForm } from "./new-password.tsx";
import { SignInForm } from "./sign-in-form.tsx";

type Invited = AccountResponse<"invitation">;

/** The invitation behind a mailed link, and the way to accept it. */
export function Invitation({ min }: { min: number }) {
  const token = useLinkToken();
  const { data, error, refetch } = useQuery({
    queryKey: ["invitation"],
    queryFn: () => callAccount("invitation", { token: token ?? "" }),
    enabled: token !== undefined,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ProblemNote error={error} />;
  if (!data || token === undefined)
    return <PartSkeleton label="Loading the invitation" bars={["h-5 w-3/4", "h-10 w-full"]} />;
  return (
    <>
      <p>
        {personName(data.invited_by)} invited{" "}
        <strong className="font-medium wrap-anywhere">{data.email}</strong> to{" "}
        <strong className="font-medium wrap-anywhere">{data.tenant_name}</strong> as{" "}
        {roleNames(data.roles)}.
      </p>
      <WayIn invited={data} token={token} min={min} onSignedIn={() => refetch()} />
    </>
  );
}

function WayIn({
  invited,
  token,
  min,
  onSignedIn,
}: {
  invited: Invited;
  token: string;
  min: number;
  onSignedIn: () => void;
}) {
  const join = useMutate({
    send: () => callAccount("accept", { token }),
    onDone: ({ tenant_id }) => {
      storeLocalTimeZone();
      window.location.assign(`/${tenant_id}`);
    },
  });
  switch (invited.next) {
    case "set_password":
      return (
        <NewPasswordForm
          email={invited.email}
          min={min}
          start="Accept and sign in"
          pending="Accepting…"
          send={(password) => callAccount("accept", { token, password })}
          onDone={async (password) => {
            storeLocalTimeZone();
            await postAuth("callback/password", {
              email: invited.email,
              password,
              callbackUrl: "/",
            }).catch(() => {});
            window.location.assign("/");
          }}
        />
      );
    case "sign_in":
      return (
        <>
          <p className="text-sm text-muted">
            This address already has an account. Sign in to accept.
          </p>
          <SignInForm
            callbackPath="/"
            providers={[]}
            email={invited.email}
            inPlace={{ onSignedIn }}
          />
        </>
      );
    case "join":
      return (
        <>
          {join.error && <ProblemNote error={join.error} />}
          <Button
            variant="primary"
            className="h-10"
            disabled={join.isPending}
            onClick={() => join.start()}
          >
            {join.isPending ? "Joining…" : `Join ${invited.tenant_name}`}
          </Button>
        </>
      );
  }
}
