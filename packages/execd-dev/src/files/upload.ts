import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { constants, createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { finished, pipeline } from "node:stream/promises";
import {
  boundaryOf,
  decodeOnly,
  GoJsonError,
  goInt,
  goString,
  goStruct,
  MultipartReader,
  type PartSink,
} from "@countersign/sandbox";
import { bodyTooLarge, ExecdError, type LocalLimits } from "../http/index.ts";
import { setPermission } from "./change-files.ts";
import { saidAs, type WorkspaceFiles } from "./workspace-files.ts";

const metadataOf = goStruct({ path: goString, owner: goString, group: goString, mode: goInt });

/** Writes the files of a form, whose parts are pairs of metadata and content. All are received before the first is written. */
export async function upload(
  request: IncomingMessage,
  workspace: WorkspaceFiles,
  limits: LocalLimits,
  stateDirectory: string,
): Promise<void> {
  const received: Received = { metadata: [], files: [] };
  const { metadata, files } = received;
  try {
    await receive(request, limits, stateDirectory, received);
    if (metadata.length === 0) throw new ExecdError(400, "INVALID_FILE_METADATA", "metadata file is missing");
    if (files.length === 0) throw new ExecdError(400, "INVALID_FILE_CONTENT", "file is missing");
    if (metadata.length !== files.length) {
      const counts = `${metadata.length} vs ${files.length}`;
      throw new ExecdError(400, "INVALID_FILE", `metadata and file count mismatch: ${counts}`);
    }
    for (const [at, bytes] of metadata.entries()) await place(bytes, files[at] as string, workspace);
  } finally {
    await Promise.all(files.map((path) => rm(path, { force: true })));
  }
}

async function place(bytes: Buffer, content: string, workspace: WorkspaceFiles): Promise<void> {
  const meta = readMetadata(bytes);
  if (meta.path === "") throw new ExecdError(400, "INVALID_FILE_METADATA", "metadata path is empty");
  let said = `error resolving target path ${meta.path}.`;
  try {
    const path = workspace.path(meta.path);
    said = `error creating target directory ${dirname(path)}.`;
    await workspace.use(meta.path, { follow: true, make: true }, async (at) => {
      said = `error opening destination file ${path}.`;
      const file = await open(at.path, WRITTEN | workspace.openFlags, 0o777);
      await pipeline(createReadStream(content), file.createWriteStream({ flush: true }));
      said = `error chmoding file ${path}.`;
      await setPermission(workspace, at, meta);
    });
  } catch (cause) {
    throw saidAs(said, cause);
  }
}

const WRITTEN = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;

function readMetadata(bytes: Buffer): ReturnType<typeof metadataOf.zero> {
  try {
    return decodeOnly(metadataOf, bytes);
  } catch (cause) {
    if (!(cause instanceof GoJsonError)) throw cause;
    throw new ExecdError(400, "INVALID_FILE_METADATA", `invalid metadata format. ${cause.message}`, { cause });
  }
}

interface Received {
  readonly metadata: Buffer[];
  /** Paths of their content, in the state directory: the rest of the form may still be invalid. */
  readonly files: string[];
}

async function receive(
  request: IncomingMessage,
  limits: LocalLimits,
  stateDirectory: string,
  into: Received,
): Promise<void> {
  const boundary = boundaryOf(request.headers["content-type"] ?? "");
  if (boundary === null) throw noForm();
  const writers: WriteStream[] = [];
  const metadata: MetadataPart[] = [];
  const reader = new MultipartReader(boundary, ({ name, isFile }) => {
    if (!isFile) return null;
    if (name === "metadata") {
      const part = new MetadataPart(limits.maxMetadataBytes);
      metadata.push(part);
      return part;
    }
    if (name !== "file") return null;
    const path = join(stateDirectory, `${randomUUID()}.upload`);
    into.files.push(path);
    const writer = createWriteStream(path, { flags: "wx", mode: 0o600 });
    // A full disk is told when all of them are waited for.
    writer.on("error", () => undefined);
    writers.push(writer);
    return { data: (bytes) => void writer.write(Buffer.from(bytes)), end: () => void writer.end() };
  });
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limits.maxUploadBytes) throw bodyTooLarge(limits.maxUploadBytes);
      reader.push(chunk);
      if (metadata.length > limits.maxUploadFiles || into.files.length > limits.maxUploadFiles) {
        throw new ExecdError(413, "BODY_TOO_LARGE", `an upload has at most ${limits.maxUploadFiles} files`);
      }
      if (reader.fault !== null) throw noForm();
      for (const writer of writers) if (writer.writableNeedDrain) await once(writer, "drain");
    }
    reader.end();
    if (reader.fault !== null) throw noForm();
    await Promise.all(writers.map((writer) => finished(writer)));
  } finally {
    for (const writer of writers) writer.destroy();
  }
  into.metadata.push(...metadata.map(({ bytes }) => bytes));
}

/** Held in memory, and so of a limited size. */
class MetadataPart implements PartSink {
  readonly #maxBytes: number;
  bytes: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  data(bytes: Buffer): void {
    if (this.bytes.length + bytes.length > this.#maxBytes) throw bodyTooLarge(this.#maxBytes);
    this.bytes = Buffer.concat([this.bytes, bytes]);
  }

  end(): void {
    // Nothing is left to be done.
  }
}

function noForm(): ExecdError {
  return new ExecdError(400, "INVALID_FILE", "multipart form is empty");
}
