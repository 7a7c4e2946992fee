import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BlockedAddress, pinnedConnector } from "./connector.ts";
import type { ResolvedAddress } from "./resolve-name.ts";

/** A server on every address of this machine, which no webhook may reach. */
let canary: Server;
let port: number;
let connections = 0;
let requests = 0;

beforeAll(async () => {
  canary = createServer((_request, response) => {
    requests += 1;
    response.end("reached");
  });
  canary.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((listening) => canary.listen(0, "::", listening));
  port = (canary.address() as AddressInfo).port;
});
afterAll(() => canary.close());
beforeEach(() => {
  connections = 0;
  requests = 0;
});

async function reach(
  host: string,
  records: ResolvedAddress[] = [],
  allowed: string[] = [],
): Promise<string> {
  const agent = new Agent({
    connect: pinnedConnector(new Set(allowed), async () => records),
    allowH2: false,
  });
  try {
    const { body } = await request(`http://${host}:${port}/`, { dispatcher: agent });
    return await body.text();
  } finally {
    await agent.destroy();
  }
}

const v4 = (address: string) => ({ address, family: 4 });
const v6 = (address: string) => ({ address, family: 6 });
const PUBLIC = v4("93.184.215.14");

describe("a webhook connection", () => {
  test("the canary server is reachable without the connector", async () => {
    expect(await reach("127.0.0.1", [], ["127.0.0.1"])).toBe("reached");
    expect(await reach("[::1]", [], ["::1"])).toBe("reached");
    expect(connections).toBe(2);
  });

  test.each([
    "127.0.0.1",
    "0x7f.1",
    "2130706433",
    "0177.1",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
  ])("to the literal %s is not made", async (host) => {
    await expect(reach(host)).rejects.toThrow(BlockedAddress);
    expect(connections).toBe(0);
  });

  test.each<[string, ResolvedAddress[]]>([
    ["loopback", [v4("127.0.0.1")]],
    ["loopback by IPv6", [v6("::1")]],
    ["IPv4 mapped into IPv6", [v6("::ffff:127.0.0.1")]],
    ["NAT64 of loopback", [v6("64:ff9b::7f00:1")]],
    ["6to4 of loopback", [v6("2002:7f00:1::")]],
    ["the unspecified address", [v4("0.0.0.0")]],
    ["a link-local address with a zone", [v6("fe80::1%lo")]],
    ["one private record after a public one", [PUBLIC, v4("127.0.0.1")]],
    ["one private record before a public one", [v4("127.0.0.1"), PUBLIC]],
    ["a private record of the other family", [PUBLIC, v6("::1")]],
    ["what is no address", [v4("localhost")]],
  ])("to a name that resolves to %s is not made", async (_name, records) => {
    await expect(reach("public.example.com", records)).rejects.toThrow(BlockedAddress);
    expect(connections).toBe(0);
  });

  test("is not made to a name without an address", async () => {
    await expect(reach("public.example.com", [])).rejects.toMatchObject({ code: "ENOTFOUND" });
    expect(connections).toBe(0);
  });

  test("sends no request if the socket's address isn't the checked one", async () => {
    let reads = 0;
    const shifty = {
      family: 4,
      get address() {
        reads += 1;
        return reads === 1 ? PUBLIC.address : "127.0.0.1";
      },
    };
    await expect(reach("public.example.com", [shifty])).rejects.toThrow(BlockedAddress);
    expect(requests).toBe(0);
  });

  test("to a host on the allow-list does not open its address to other names", async () => {
    await expect(reach("public.example.com", [v4("127.0.0.1")], ["127.0.0.1"])).rejects.toThrow(
      BlockedAddress,
    );
    expect(connections).toBe(0);
  });
});
