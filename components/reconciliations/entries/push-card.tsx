import { useEffect } from "react";
import { Card } from "#components/kit/card.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useList } from "#components/kit/use-list.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { FORMAT_FILES, PUSH_FORMATS } from "#lib/entries/rules/contract.ts";
import type { PushDraft } from "./draft.ts";
import { connectionPages } from "./queries.ts";

const FOLDER_MAX = 100;

/** The server that each batch is written to when its period closes. */
export function PushCard({
  push,
  readOnly,
  onChange,
}: {
  push: PushDraft;
  readOnly: boolean;
  onChange: (part: Partial<PushDraft>) => void;
}) {
  const { items, loadMore, pages } = useList(connectionPages(useTenantId()));
  useEffect(loadMore, [loadMore]);
  const areAllLoaded = pages.isSuccess && !pages.hasNextPage;
  const servers = items.filter(({ kind }) => kind === "sftp" || kind === "s3");
  const isListed = servers.some(({ id }) => id === push.connection_id);
  const isGone = areAllLoaded && push.connection_id !== "" && !isListed;
  return (
    <Card
      title="Push"
      hint="Each batch can be written to a server when its period closes. It is exported then."
    >
      <div className="grid gap-x-6 gap-y-3 @lg:grid-cols-2">
        <SelectField
          label="Connection"
          hint={
            areAllLoaded && servers.length === 0
              ? "Connect a source by SFTP or S3 first; files are only read at other addresses."
              : undefined
          }
          error={
            pages.error
              ? `The connections couldn't be loaded: ${pages.error.message}`
              : isGone
                ? "This connection was deleted. Choose another."
                : undefined
          }
          value={push.connection_id}
          disabled={readOnly}
          onChange={({ target }) => onChange({ connection_id: target.value })}
        >
          <option value="">None</option>
          {push.connection_id !== "" && !isListed && (
            <option value={push.connection_id}>{push.connection_id}</option>
          )}
          {servers.map(({ id, address }) => (
            <option key={id} value={id}>
              {address}
            </option>
          ))}
        </SelectField>
        {push.connection_id !== "" && (
          <>
            <SelectField
              label="Format"
              value={push.format}
              disabled={readOnly}
              onChange={({ target }) => {
                const format = PUSH_FORMATS.find((each) => each === target.value);
                if (format) onChange({ format });
              }}
            >
              {PUSH_FORMATS.map((format) => (
                <option key={format} value={format}>
                  {FORMAT_FILES[format].label}
                </option>
              ))}
            </SelectField>
            <TextField
              label="Folder"
              hint="Below the connection's address. Leave it empty to write there."
              maxLength={FOLDER_MAX}
              value={push.folder}
              disabled={readOnly}
              onChange={({ target }) => onChange({ folder: target.value })}
            />
          </>
        )}
      </div>
    </Card>
  );
}
