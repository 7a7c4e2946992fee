#!/usr/bin/env node
/**
 * Verifies the bundle of a signed reconciliation statement, offline and without anything but Node.
 *
 *   node verify.mjs bundle.zip [--key <public key, base64>]
 *
 * It recounts the statement from the bundle's own rows, recomputes the digest that was signed at
 * the close, walks the slice of the audit log and checks its signature. Exits with 0 if everything
 * agrees, with 1 if anything does not, and with 2 if the bundle can't be read.
 *
 * Pass --key with the public key that you got from somewhere else (`npm run audit -- public-keys`):
 * without it, the signature is checked with the key that is in the bundle itself.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";

const [path, flag, key] = process.argv.slice(2);
if (!path || (flag !== undefined && (flag !== "--key" || !key))) {
  console.error("Usage: node verify.mjs bundle.zip [--key <public key, base64>]");
  process.exit(2);
}

let faults = 0;
/** Without control characters, by which a bundle could change what the terminal shows. */
const printable = (line) => line.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, "�");
const print = (line) => console.log(printable(line));
const say = (holds, what, fault) => {
  if (!holds) faults++;
  print(holds ? `✓ ${what}` : `✗ ${what}: ${fault}`);
  return holds;
};
const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

let files;
try {
  files = readZip(readFileSync(path));
} catch (error) {
  console.error(printable(`✗ ${path} is not a whole zip: ${error.message}`));
  process.exit(2);
}

const needed = [
  "manifest.json",
  "statement.json",
  "signature.json",
  "matches.ndjson",
  "members.ndjson",
  "exclusions.ndjson",
  "carried.ndjson",
];
const missing = needed.filter((name) => !files.has(name));
if (!say(missing.length === 0, "The bundle is whole", `${missing.join(", ")} missing`))
  process.exit(1);

verifyFiles();
const statement = JSON.parse(text("statement.json"));
const signature = JSON.parse(text("signature.json"));
verifyDigest();
verifyCloser();
verifySums();
verifyEvidence();
verifyEntries();
verifyAudit();
print(
  faults === 0
    ? `Everything agrees: statement ${signature.number} of ${statement.name}, closed ` +
        `${signature.closed_at} by ${signature.closed_by}.`
    : `${faults} ${faults === 1 ? "check fails" : "checks fail"}. Do not rely on this bundle.`,
);
process.exit(faults === 0 ? 0 : 1);

/** Each file is what the manifest says. */
function verifyFiles() {
  const manifest = JSON.parse(text("manifest.json"));
  const others = Object.entries(manifest)
    .filter(([name, { sha256: expected, bytes }]) => {
      const content = files.get(name);
      return !content || content.length !== bytes || sha256(content).toString("hex") !== expected;
    })
    .map(([name]) => name);
  const extra = [...files.keys()].filter(
    (name) => name !== "manifest.json" && !Object.hasOwn(manifest, name),
  );
  say(others.length === 0, "Files are as the manifest lists them", `${others.join(", ")} changed`);
  say(extra.length === 0, "Nothing was added", extra.join(", "));
}

/**
 * The digest covers the statement, the matches, their members, the exclusions and what is carried.
 */
function verifyDigest() {
  const computed = sha256(
    sha256(files.get("statement.json")),
    ...["matches", "members", "exclusions", "carried"].map((kind) =>
      sha256(...rows(kind).map((row) => sha256(row))),
    ),
  ).toString("hex");
  if (signature.digest === null)
    return say(false, "The digest is the signed one", "this statement has no digest");
  return say(
    computed === signature.digest,
    "The digest is the signed one",
    `computed ${computed}, signed ${signature.digest}`,
  );
}

/** The digest covers who closed the statement and when; the signature has to name the same. */
function verifyCloser() {
  const named = ({ closed_by, closed_at }) => `${closed_by} at ${closed_at}`;
  say(
    named(statement) === named(signature),
    "The signature names who closed it, and when, as the statement does",
    `${named(signature)} is not ${named(statement)}`,
  );
}

/** Lines = matched + excluded + open, per currency and side, recounted from the rows. */
function verifySums() {
  const matches = new Map();
  for (const row of rows("matches")) {
    const [id, , , currency, , residual, adjustments] = fields(row);
    const adjusted = JSON.parse(adjustments).reduce(
      (sum, { amount_minor }) => sum + BigInt(amount_minor),
      0n,
    );
    matches.set(id, { currency, left: 0n, right: 0n, explained: BigInt(residual) + adjusted });
  }
  const sums = { matched: new Map(), excluded: new Map(), open: new Map() };
  const add = (sum, currency, side, minor) => {
    const at = `${currency} ${side}`;
    sums[sum].set(at, (sums[sum].get(at) ?? 0n) + BigInt(minor));
  };
  let strays = 0;
  for (const row of rows("members")) {
    const [id, , side, minor] = fields(row);
    const match = matches.get(id);
    if (!match) {
      strays++;
      continue;
    }
    match[side] += BigInt(minor);
    add("matched", match.currency, side, minor);
  }
  for (const row of rows("exclusions")) {
    const [, side, currency, minor] = fields(row);
    add("excluded", currency, side, minor);
  }
  for (const row of rows("carried")) {
    const [, side, currency, minor] = fields(row);
    add("open", currency, side, minor);
  }
  say(strays === 0, "Every member belongs to a match", `${strays} do not`);
  const unbalanced = [...matches].filter(
    ([, { left, right, explained }]) => left - right !== explained,
  );
  say(
    unbalanced.length === 0,
    `${matches.size} matches add up`,
    `${unbalanced.length} do not, the first is ${unbalanced[0]?.[0]}`,
  );
  for (const item of statement.proof.items) {
    const at = `${item.currency} ${item.side}`;
    const counted = ["matched", "excluded", "open"].map((sum) => [sum, sums[sum].get(at) ?? 0n]);
    const differing = counted.filter(([sum, minor]) => minor !== BigInt(item[sum]));
    say(
      differing.length === 0,
      `${at}: matched, excluded and open are as counted`,
      differing.map(([sum, minor]) => `${sum} is ${item[sum]}, counted ${minor}`).join("; "),
    );
    const total = counted.reduce((sum, [, minor]) => sum + minor, 0n);
    say(
      BigInt(item.lines) === total,
      `${at}: lines = matched + excluded + open`,
      `${item.lines} is not ${total}`,
    );
  }
  const listed = new Set(statement.proof.items.map(({ currency, side }) => `${currency} ${side}`));
  const unlisted = Object.values(sums).flatMap((sum) =>
    [...sum.keys()].filter((at) => !listed.has(at)),
  );
  say(unlisted.length === 0, "The statement lists every currency", unlisted.join(", "));
  const unexplained = statement.differences.filter(
    ({ difference_minor }) => BigInt(difference_minor) !== 0n,
  );
  say(
    unexplained.length === 0,
    "No difference is left",
    unexplained
      .map(({ currency, difference_minor }) => `${difference_minor} ${currency}`)
      .join(", "),
  );
}

/** The statement has the number and the hash of the files of evidence that it lists. */
function verifyEvidence() {
  const listed = files.has("evidence.ndjson") ? rows("evidence") : [];
  const { count, sha256: expected } = statement.evidence ?? {
    count: 0,
    sha256: sha256().toString("hex"),
  };
  const computed = sha256(...listed.map((row) => sha256(row))).toString("hex");
  say(
    listed.length === count && computed === expected,
    `${count} ${count === 1 ? "file" : "files"} of evidence as the statement lists them`,
    `${listed.length} listed, with the hash ${computed}`,
  );
  for (const row of listed) {
    const [, type, , name, , , hash] = fields(row);
    print(`  ${hash}  ${name} (${type})`);
  }
}

/** The statement has the number and the hash of the entries that its close left for the ledger. */
function verifyEntries() {
  const listed = files.has("entries.ndjson") ? rows("entries") : [];
  const { count, sha256: expected } = statement.entries ?? {
    count: 0,
    sha256: sha256().toString("hex"),
  };
  const computed = sha256(...listed.map((row) => sha256(row))).toString("hex");
  say(
    listed.length === count && computed === expected,
    `${count} ${count === 1 ? "entry" : "entries"} for the ledger as the statement lists them`,
    `${listed.length} listed, with the hash ${computed}`,
  );
}

/** The close is an event of the audit log, whose chain ends in a signed checkpoint. */
function verifyAudit() {
  if (!files.has("audit.json") || !files.has("audit.ndjson")) {
    print(
      "– The audit log is not part of this bundle: it is for admins and auditors, " +
        "once the close is in a signed checkpoint.",
    );
    return;
  }
  const { tenant, through, checkpoints, public_keys: keys } = JSON.parse(text("audit.json"));
  const events = lines("audit.ndjson").map((line) => JSON.parse(line));
  const [closed] = events;
  say(
    closed?.type === "reconciliation.closed" &&
      closed.target === statement.reconciliation_id &&
      JSON.parse(closed.details).digest === signature.digest,
    "The audit log records this close with this digest",
    "its first event is another",
  );
  verifySigners(closed);
  let previous = null;
  const broken = events.find((event) => {
    const isLinked = previous === null || event.prev_hash === previous.hash;
    const isNext = previous === null || Number(event.seq) === Number(previous.seq) + 1;
    previous = event;
    return !isLinked || !isNext || hashOf(tenant, event) !== event.hash;
  });
  say(
    !broken,
    `The audit log's chain of ${events.length} ${events.length === 1 ? "event" : "events"} is unbroken`,
    `event ${broken?.seq} does not`,
  );
  const last = events.at(-1);
  const signed = checkpoints.find(({ kind, seq }) => kind === "head" && seq === through);
  const isEnd = signed && last && Number(last.seq) === signed.seq && last.hash === signed.hash;
  if (!say(Boolean(isEnd), "They end in a checkpoint", "there is none of the last event")) return;
  const trusted = key === undefined ? keys : [key];
  const message = Buffer.from(
    JSON.stringify([
      "tieout.security_event_checkpoint.v1",
      signed.kind,
      tenant,
      signed.seq,
      signed.hash,
      signed.at,
    ]),
  );
  const isSigned = trusted.some((item) =>
    verify(null, message, publicKeyOf(item), Buffer.from(signed.signature, "base64url")),
  );
  say(
    isSigned,
    key === undefined
      ? "The checkpoint is signed by the key in the bundle (pass --key to check with yours)"
      : "The checkpoint is signed by your key",
    "its signature is not by that key",
  );
}

/** The event of a close names who prepared and reviewed it; events from before that don't. */
function verifySigners(closed) {
  const { signatures } = closed ? JSON.parse(closed.details) : {};
  if (signatures === undefined) return;
  say(
    JSON.stringify(signatures) === JSON.stringify(signature.signatures) &&
      closed.actor === signature.closed_by,
    "The audit log records the same signers",
    "the signature names others",
  );
}

function publicKeyOf(base64) {
  const x = Buffer.from(base64, "base64").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

/** As the database hashes an event: a JSON array of texts with a space after each comma. */
function hashOf(tenant, event) {
  const person = [event.actor_issuer, event.actor_subject];
  const isPersons = person.some((item) => item !== null);
  const content = [
    `tieout.security_event.${isPersons ? "v2" : "v1"}`,
    tenant,
    event.seq,
    event.prev_hash,
    event.id,
    event.at,
    event.type,
    event.actor,
    event.credential,
    event.home_tenant_id,
    event.cross_tenant,
    event.operation,
    event.target,
    event.address,
    event.request_id,
    event.reason,
    event.details,
    ...(isPersons ? person : []),
  ];
  return sha256(`[${content.map((item) => JSON.stringify(item)).join(", ")}]`).toString("hex");
}

function text(name) {
  return files.get(name).toString("utf8");
}

function lines(name) {
  return text(name).split("\n").filter(Boolean);
}

/** The texts of a kind, each a row as Postgres writes it. */
function rows(kind) {
  return lines(`${kind}.ndjson`).map((line) => JSON.parse(line));
}

/** The fields of a row like (a,"b ""c""",): an empty field is null. */
function fields(row) {
  const found = [];
  const pattern = /("(?:[^"\\]|""|\\.)*"|[^,]*)(?:,|$)/gy;
  const inner = row.slice(1, -1);
  while (pattern.lastIndex <= inner.length) {
    const match = pattern.exec(inner);
    if (!match) throw new Error(`This row can't be read: ${row}`);
    const [whole, field] = match;
    found.push(
      field.startsWith('"')
        ? field.slice(1, -1).replace(/""|\\(.)/g, (escaped, item) => item ?? escaped[0])
        : field,
    );
    if (!whole.endsWith(",")) break;
  }
  return found;
}

/** The files of a zip, stored or deflated, by its central directory. */
function readZip(bytes) {
  const end = bytes.lastIndexOf(Buffer.from("504b0506", "hex"));
  if (end < 0) throw new Error("its end is missing");
  let count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  const large = bytes.lastIndexOf(Buffer.from("504b0606", "hex"), end);
  if (large >= 0) {
    count = Number(bytes.readBigUInt64LE(large + 32));
    at = Number(bytes.readBigUInt64LE(large + 48));
  }
  const found = new Map();
  for (let entry = 0; entry < count; entry++) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) throw new Error("its directory is damaged");
    const method = bytes.readUInt16LE(at + 10);
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const extra = bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    let size = bytes.readUInt32LE(at + 20);
    let offset = bytes.readUInt32LE(at + 42);
    if (size === 0xffffffff || offset === 0xffffffff) {
      // ZIP64 holds the sizes that don't fit, in this order.
      let place = 4;
      if (bytes.readUInt32LE(at + 24) === 0xffffffff) place += 8;
      if (size === 0xffffffff) {
        size = Number(extra.readBigUInt64LE(place));
        place += 8;
      }
      if (offset === 0xffffffff) offset = Number(extra.readBigUInt64LE(place));
    }
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
    const content = bytes.subarray(start, start + size);
    if (content.length !== size) throw new Error(`${name} is cut`);
    if (found.has(name)) throw new Error(`${name} is in it twice`);
    found.set(name, method === 0 ? content : inflateRawSync(content));
    at += 46 + nameLength + extraLength + bytes.readUInt16LE(at + 32);
  }
  return found;
}
