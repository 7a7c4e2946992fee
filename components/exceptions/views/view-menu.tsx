"use client";

import { Ellipsis, Link2, Pencil, Trash2, Users } from "lucide-react";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useMember } from "#components/kit/member.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { personName } from "#components/people/person.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuHeading, MenuItem } from "#components/ui/menu.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  createViewContract,
  deleteViewContract,
  updateViewContract,
  type View,
} from "#lib/views/contract.ts";
import { DeleteViewDialog } from "./delete-view-dialog.tsx";
import { useMayChangeView } from "./may-change.ts";
import { viewsKey } from "./queries.ts";
import { RenameViewDialog } from "./rename-view-dialog.tsx";

/** The actions on the current view. Users who may not change it see its link and its owner. */
export function ViewMenu({ view }: { view: View }) {
  const mayChange = useMayChangeView()(view);
  const [renames, setRenames] = useState(false);
  const [deletes, setDeletes] = useState(false);
  const isOwn = useMember().self === view.created_by;
  return (
    <>
      <Menu
        label={`View ${view.name}`}
        triggerClass={buttonClass({ size: "icon", variant: "ghost" })}
        trigger={
          <>
            <Ellipsis aria-hidden className="size-4" />
            <span className="sr-only">View {view.name}</span>
          </>
        }
      >
        {!isOwn && <MenuHeading>Shared by {personName(view.created_by)}</MenuHeading>}
        <MenuItem
          onClick={async () => {
            await navigator.clipboard.writeText(location.href);
            toast("Link copied");
          }}
        >
          <Link2 aria-hidden className="size-4 text-muted" />
          Copy link
        </MenuItem>
        {mayChange && <Renaming onRename={() => setRenames(true)} />}
        {isOwn ? <Own view={view} /> : mayChange && <Deleting onDelete={() => setDeletes(true)} />}
      </Menu>
      {renames && <RenameViewDialog view={view} onClose={() => setRenames(false)} />}
      {deletes && <DeleteViewDialog view={view} onClose={() => setDeletes(false)} />}
    </>
  );
}

function Renaming({ onRename }: { onRename: () => void }) {
  return (
    <MenuItem onClick={onRename}>
      <Pencil aria-hidden className="size-4 text-muted" />
      Rename
    </MenuItem>
  );
}

function Deleting({ onDelete }: { onDelete: () => void }) {
  return (
    <MenuItem onClick={onDelete}>
      <Trash2 aria-hidden className="size-4 text-muted" />
      Delete view
    </MenuItem>
  );
}

/** Actions of the owner: stop sharing, and undo a deletion. */
function Own({ view }: { view: View }) {
  const tenant = useMember().tenant.id;
  const { name, shared, filters, sort_by } = view;
  const params = { id: view.id };
  const sharing = useMutate({
    send: (everyone: boolean) =>
      callApi(updateViewContract, { tenant, params, body: { shared: everyone } }),
    onDone: (changed) =>
      toast(changed.shared ? "Shared with everyone in this tenant" : "Only you can see it now", {
        description: name,
      }),
    failed: "Couldn't change the view",
    stale: viewsKey(tenant),
  });
  const restoring = useMutate({
    send: (_: null, idempotencyKey) =>
      callApi(createViewContract, {
        tenant,
        body: { name, shared, filters, sort_by },
        idempotencyKey,
      }),
    onDone: () => toast(`Restored ${name}`),
    failed: "Couldn't restore the view",
    stale: viewsKey(tenant),
  });
  const deleting = useMutate({
    send: (_: null) => callApi(deleteViewContract, { tenant, params }),
    onDone: () =>
      toast(`Deleted ${name}`, { action: { label: "Undo", run: () => restoring.start(null) } }),
    failed: "Couldn't delete the view",
    stale: viewsKey(tenant),
  });
  return (
    <>
      <MenuItem onClick={() => sharing.start(!shared)}>
        <Users aria-hidden className="size-4 text-muted" />
        {shared ? "Stop sharing" : "Share with everyone"}
      </MenuItem>
      <Deleting onDelete={() => deleting.start(null)} />
    </>
  );
}
