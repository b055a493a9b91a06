import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

/** Far more than the last lines take. */
const TAIL_BYTES = 256 * 1024;

/**
 * Checkpoints, kept apart from the ledger: one signed note a line, as a JSON string, the newest last. Best on another disk, or
 * where only appending is allowed.
 */
export class WitnessFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The newest notes, the newest first; lines that are torn or others' are passed over. */
  async newest(): Promise<string[]> {
    try {
      await using file = await open(this.path, "r");
      return (await readTail(file)).split("\n").reverse().flatMap(readLine);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw cause;
    }
  }

  async append(note: string): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await using file = await open(this.path, "a", 0o600);
    await file.appendFile(`${JSON.stringify(note)}\n`);
    await file.sync();
  }
}

async function readTail(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const length = Math.min(size, TAIL_BYTES);
  const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length, length });
  return buffer.toString("utf8");
}

function readLine(line: string): string[] {
  try {
    const note: unknown = JSON.parse(line);
    return typeof note === "string" ? [note] : [];
  } catch {
    return [];
  }
}
