import { lookup as systemLookup } from "node:dns/promises";
import type { LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";
import { isAddress, isPublicAddress } from "./receiver-address.ts";
import { type Resolve, type ResolvedAddress, resolveName } from "./resolve-name.ts";
import { skipContinue } from "./skip-continue.ts";

const CONNECT_TIMEOUT_MS = 15_000;

/** Nothing was sent, because the address is not public. */
export class BlockedAddress extends Error {}

/**
 * Connects to public addresses only. It checks a literal address, or else every DNS record, none of
 * which may be private. The connection goes to a checked address, and the connected socket is
 * checked again. Hosts on the operator's allow-list are exempt.
 */
export function pinnedConnector(
  allowHosts: ReadonlySet<string>,
  resolve: Resolve = resolveName,
): buildConnector.connector {
  const connect = checkedConnector(allowHosts, resolve);
  return (options, done) =>
    connect(options, (...[error, socket]) =>
      error ? done(error, null) : done(null, skipContinue(socket) as typeof socket),
    );
}

/** Connects by TCP, for protocols other than HTTP, under the same rules. */
export function connectChecked(
  hostname: string,
  port: string,
  allowHosts: ReadonlySet<string>,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const options = { hostname, host: hostname, port, protocol: "http:" };
  checkedConnector(allowHosts, resolveName)(options, (...[error, socket]) =>
    error ? reject(error) : resolve(socket),
  );
  return promise;
}

function checkedConnector(
  allowHosts: ReadonlySet<string>,
  resolve: Resolve,
): buildConnector.connector {
  const common = { allowH2: false, timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true };
  const toPublic = buildConnector({
    ...common,
    lookup: lookupWith((name) => publicRecords(name, resolve)),
  });
  const toAny = buildConnector({
    ...common,
    lookup: lookupWith((name) => systemLookup(name, { all: true })),
  });

  return (options, callback) => {
    if (allowHosts.has(options.hostname)) return toAny(options, callback);
    if (isAddress(options.hostname) && !isPublicAddress(options.hostname))
      return callback(blocked(), null);
    toPublic(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (isConnectedToPublic(socket)) return callback(null, socket);
      socket.destroy();
      callback(blocked(), null);
    });
  };
}

async function publicRecords(name: string, resolve: Resolve): Promise<ResolvedAddress[]> {
  const records = await resolve(name);
  if (records.some(({ address }) => !isPublicAddress(address))) throw blocked();
  return records;
}

function isConnectedToPublic({ remoteAddress }: Socket): boolean {
  return remoteAddress !== undefined && isPublicAddress(remoteAddress);
}

function blocked(): BlockedAddress {
  return new BlockedAddress("The host has an address that is not public.");
}

function lookupWith(find: Resolve): LookupFunction {
  return (hostname, { all }, done) => {
    find(hostname).then(
      (records) => {
        const [first] = records;
        if (!first) done(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "");
        else if (all) done(null, records);
        else done(null, first.address, first.family);
      },
      (error) => done(error, ""),
    );
  };
}
