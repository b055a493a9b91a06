import { boundaryOf, GoJsonError, MultipartReader, takeOnly } from "../../wire/index.ts";
import { Digest, type Digests } from "../digest/index.ts";
import { fileMetadata } from "./request-types.ts";

const LONGEST_METADATA = 64 * 1024;

export interface UploadedFile {
  readonly path: string;
  readonly content: Digest;
  /** What execd sets when it is written. */
  readonly rights: { readonly mode: number; readonly owner: string; readonly group: string };
}

const NO_RIGHTS = { mode: 0, owner: "", group: "" };

/** An upload: pairs of `metadata` and `file`, in whatever order they come. Files are hashed as they pass, and never held. */
export class FormTap {
  /** Why it can't be read. From then on what passes is hashed as it is. */
  fault: string | null = null;
  readonly rest: Digest;
  bytes = 0;
  /** A part, or a field of its metadata, that isn't known: execd passes it over. */
  strange: string | undefined;
  readonly #reader: MultipartReader | null;
  readonly #metadata: { bytes: Buffer[]; length: number }[] = [];
  readonly #files: Digest[] = [];
  /** The last file that has gone to the thread: when that is hashed, all before it are. */
  #atThread: Digest | null = null;
  readonly #digests: Digests;
  readonly #onPath: (path: string) => void;

  /** `onPath` is told each target as soon as it is known. */
  constructor(contentType: string, digests: Digests, onPath: (path: string) => void) {
    this.#digests = digests;
    this.#onPath = onPath;
    this.rest = new Digest(digests);
    const boundary = boundaryOf(contentType);
    if (boundary === null) this.fault = "it has no boundary";
    this.#reader =
      boundary === null
        ? null
        : new MultipartReader(boundary, ({ name, isFile }) => {
            if (!isFile || (name !== "file" && name !== "metadata")) this.strange ??= `a part called ${name}`;
            return isFile ? this.#open(name) : null;
          });
  }

  /** execd has all that it waits for, or something that we can't follow: from here on it may begin to write. */
  get isComplete(): boolean {
    return this.fault !== null || (this.#reader?.complete ?? false);
  }

  content(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.fault === null) this.#reader?.push(chunk);
    this.fault ??= this.#reader?.fault ?? null;
    if (this.fault !== null) this.rest.update(chunk);
  }

  /** null: all of its hashes are known. */
  end(): Promise<void> | null {
    this.#reader?.end();
    this.fault ??= this.#reader?.fault ?? null;
    const ending = [...this.#files, this.rest].map((digest) => digest.end()).filter((end) => end !== null);
    return ending.length === 0 ? null : Promise.all(ending).then(() => undefined);
  }

  get isBehind(): boolean {
    return [this.rest, this.#files.at(-1), this.#atThread].some((digest) => digest?.isBehind);
  }

  /** Of what was read, also of an upload that can't be read to its end. */
  get contents(): readonly Digest[] {
    return this.#files;
  }

  /** Pairs, by their order. A text: why execd would take none of them. `onlyPath` stands in where a form has no metadata. */
  files(onlyPath: string): readonly UploadedFile[] | string {
    if (this.#metadata.length > 0 && onlyPath !== "") return "query and metadata both say where it goes";
    const [first, ...others] = this.#files;
    if (this.#metadata.length === 0 && onlyPath !== "" && first && others.length === 0) {
      return [fileOf(onlyPath, first, NO_RIGHTS)];
    }
    if (this.#metadata.length === 0 || this.#metadata.length !== this.#files.length)
      return "metadata and files aren't pairs";
    const files: UploadedFile[] = [];
    for (const [index, metadata] of this.#metadata.entries()) {
      const taken = readMetadata(metadata);
      if (taken === null) return "its metadata can't be read";
      this.strange ??= taken.strange;
      files.push(fileOf(taken.value.path, this.#files[index] as Digest, taken.value));
    }
    return files;
  }

  #open(name: string) {
    if (name === "file") {
      const content = new Digest(this.#digests);
      this.#files.push(content);
      const data = (bytes: Buffer) => {
        content.update(bytes);
        if (content.isAtThread) this.#atThread = content;
      };
      return { data, end: () => void content.end() };
    }
    if (name !== "metadata") return null;
    const metadata = { bytes: [] as Buffer[], length: 0 };
    this.#metadata.push(metadata);
    return {
      data: (bytes: Buffer) => {
        metadata.length += bytes.length;
        if (metadata.length <= LONGEST_METADATA) metadata.bytes.push(Buffer.from(bytes));
      },
      end: () => {
        const taken = readMetadata(metadata);
        if (taken !== null) this.#onPath(taken.value.path);
      },
    };
  }
}

function fileOf(path: string, content: Digest, { mode, owner, group }: UploadedFile["rights"]): UploadedFile {
  return { path, content, rights: { mode, owner, group } };
}

/** null where execd would take it for none. */
function readMetadata({ bytes, length }: { readonly bytes: readonly Buffer[]; readonly length: number }) {
  if (length > LONGEST_METADATA) return null;
  try {
    const taken = takeOnly(fileMetadata, Buffer.concat(bytes));
    return taken.value.path === "" ? null : taken;
  } catch (error) {
    if (error instanceof GoJsonError) return null;
    throw error;
  }
}
