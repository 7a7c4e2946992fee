import { Readable, Transform } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type MimeNode, Splitter, type SplitterChunk } from "@zone-eu/mailsplit";
import { decode } from "libqp";

const HEADERS_MAX_BYTES = 256 * 1024;
const MAX_PARTS = 1000;
const PIECE_BYTES = 64 * 1024;
/** A line of quoted-printable text should have at most 76 characters. */
const LINE_MAX_LENGTH = 10_000;

export type Attachment = { name: string | null; content: Buffer };

/** Yields a mail in pieces, so that the same thread can deliver webhooks between two of them. */
export async function* piecesOf(raw: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < raw.length; at += PIECE_BYTES) {
    yield raw.subarray(at, at + PIECE_BYTES);
    await nextTurn();
  }
}

/**
 * The decoded attachments of a mail. An attached mail is one attachment.
 * @throws Error for a mail with too many parts, headers or characters in a line
 */
export async function attachmentsOf(raw: Buffer): Promise<Attachment[]> {
  const found = new Map<MimeNode, { decoder: Transform; pieces: Buffer[] }>();
  const splitter = new Splitter({
    ignoreEmbedded: true,
    maxHeadSize: HEADERS_MAX_BYTES,
    maxChildNodes: MAX_PARTS,
  });
  await pipeline(Readable.from(piecesOf(raw)), splitter, async (chunks) => {
    for await (const chunk of chunks as AsyncIterable<SplitterChunk>) {
      if (chunk.type === "node" && isAttachment(chunk)) {
        const pieces: Buffer[] = [];
        const decoder = decoderOf(chunk)
          .on("data", (piece) => pieces.push(piece))
          .on("error", (error) => splitter.destroy(error));
        found.set(chunk, { decoder, pieces });
      } else if (chunk.type === "body") found.get(chunk.node)?.decoder.write(chunk.value);
    }
  });
  const attachments: Attachment[] = [];
  for (const [{ filename }, { decoder, pieces }] of found) {
    await finished(decoder.end());
    attachments.push({ name: filename || null, content: Buffer.concat(pieces) });
  }
  return attachments;
}

/** Every part except the mail's own text. */
function isAttachment({ multipart, contentType, disposition, filename }: MimeNode): boolean {
  if (multipart !== false) return false;
  const isText = contentType === "text/plain" || contentType === "text/html";
  return !isText || disposition === "attachment" || filename !== false;
}

function decoderOf(part: MimeNode): Transform {
  return part.encoding === "quoted-printable" ? quotedPrintable() : part.getDecoder();
}

/**
 * Decodes line by line, because libqp's decoder decodes everything at once, which takes 0.8 s for
 * 33 MB.
 */
function quotedPrintable(): Transform {
  let rest = "";
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const text = rest + piece.toString("latin1");
      const end = text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      if (rest.length > LINE_MAX_LENGTH) done(new Error("A line is too long."));
      else done(null, decode(text.slice(0, end)));
    },
    flush(done) {
      done(null, decode(rest));
    },
  });
}
