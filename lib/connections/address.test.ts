import { expect, test } from "vitest";
import { addressFault, addressUrl } from "./address.ts";

const NOBODY = new Set<string>();

test.each([
  ["sftp://sftp.bank.example/out", "sftp.bank.example", "22"],
  ["sftp://sftp.bank.example:443/out", "sftp.bank.example", ""],
  ["sftp://SFTP.bank.example:2222/out", "sftp.bank.example", "2222"],
  ["sftp://0x7f.1/out", "127.0.0.1", "22"],
  ["https://files.bank.example/a", "files.bank.example", ""],
])("%s has the host %s", (address, host, port) => {
  const url = addressUrl(address);
  expect([url.hostname, url.port]).toEqual([host, port]);
});

test.each([
  "sftp://127.0.0.1/out",
  "sftp://0x7f000001/out",
  "sftp://2130706433/out",
  "sftp://[::ffff:10.0.0.1]/out",
  "sftp://169.254.169.254/latest",
  "sftp://localhost/out",
  "sftp://sftp.bank.example:25/out",
  "http://files.bank.example/a",
  "https://[64:ff9b::7f00:1]/a",
])("nothing is fetched from %s", (address) => {
  expect(addressFault(address, NOBODY)).not.toBeNull();
});

test.each(["sftp://sftp.bank.example/out", "https://files.bank.example:8443/a"])(
  "%s is public",
  (address) => {
    expect(addressFault(address, NOBODY)).toBeNull();
  },
);

test("the operator's hosts are exempt in every spelling", () => {
  expect(addressFault("sftp://0x7f000001:22/out", new Set(["127.0.0.1"]))).toBeNull();
});
