import { addressUrl } from "../address.ts";
import { httpsRemote } from "./https.ts";
import type { Access, Remote } from "./remote.ts";
import { RemoteError } from "./remote-error.ts";
import { s3Remote } from "./s3.ts";

const OPEN = {
  https: httpsRemote,
  s3: s3Remote,
  mail: async () => {
    throw new RemoteError("Mail can't be fetched.", true);
  },
  // Imported on demand, so that the web process loads it only to test such a connection.
  sftp: async (access: Access) => (await import("./sftp.ts")).sftpRemote(access),
};

/** @throws RemoteError if the server can't be reached or refuses the credential */
export function openRemote(access: Omit<Access, "url">): Promise<Remote> {
  const { address, kind } = access.settings;
  return OPEN[kind]({ ...access, url: addressUrl(address) });
}
