import { join } from "node:path";

/**
 * Where a hub of this home can be met. The server knows these paths too (`home.ts`); they are written here again because
 * importing it would cost every `exec` the whole server. A test holds both together.
 */
export interface HomeFiles {
  readonly socket: string;
  readonly address: string;
  readonly token: string;
  readonly database: string;
  readonly config: string;
  readonly witness: string;
}

export function homeFiles(dir: string): HomeFiles {
  return {
    socket: join(dir, "run", "hub.sock"),
    address: join(dir, "run", "address"),
    token: join(dir, "keys", "token"),
    database: join(dir, "countersign.db"),
    config: join(dir, "config.json"),
    witness: join(dir, "witness.jsonl"),
  };
}
