import type { Root } from "../files/confined-tree.ts";
import type { ProcessStarter } from "../processes/process-starter.ts";

/** Makes jails of their own for sessions that ask for one. Passed in, as the jail around everything is. */
export interface Isolator {
  readonly name: string;
  /** All that a session can have: what else is in the file system isn't ours to give. */
  readonly workspace: string;
  /** Whether hosts elsewhere can be reached from one that asks for it. */
  readonly hasNetwork: boolean;
  /** Rejects where none can be made; the message is what the client is told. */
  open(wish: IsolationWish): Promise<Isolation>;
}

export interface IsolationWish {
  readonly readOnly: boolean;
  readonly network: boolean;
}

/** Processes in it see each other, the workspace and a /tmp of their own, and no other session's. */
export interface Isolation {
  readonly starter: ProcessStarter;
  /** What of the file system can be looked at, and what of that can be changed. */
  readonly roots: readonly (Root & { readonly readOnly?: boolean })[];
  /** What everything starts with. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}
