import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { uuidv7 } from "uuidv7";

/**
 * Readers see the old file or the new one, whole, also after a power cut: write beside it, fsync, rename, fsync the
 * directory (which is what makes the rename itself durable).
 */
export async function writeFileAtomically(path: string, content: string, mode = 0o600): Promise<void> {
  const beside = join(dirname(path), `.${uuidv7()}.tmp`);
  try {
    const file = await open(beside, "wx", mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (cause) {
    await rm(beside, { force: true });
    throw cause;
  }
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
