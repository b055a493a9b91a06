import type { ProcessStarter, Root } from "../places/index.ts";

/** Makes jails of their own for sessions that ask for one. Passed in, as the jail around everything is. */
export interface Isolator {
  readonly name: string;
  /** Whether hosts elsewhere can be reached from one that asks for it. */
  readonly hasNetwork: boolean;
  /** Who everything is that it runs, by the machine's own numbers. */
  readonly ids: { readonly uid: number; readonly gid: number };
  /** Rejects with WishRefused, or with another error where none can be made; the message is what the client is told. */
  open(wish: IsolationWish): Promise<Isolation>;
}

export interface IsolationWish {
  /** `overlay`: what is written there is kept apart, and gone with the session. A directory that isn't there is made. */
  readonly workspace: { readonly path: string; readonly mode: WorkspaceMode };
  /** Absolute paths. Without a `dest` it is seen where it is. */
  readonly binds: readonly { readonly source: string; readonly dest?: string; readonly readOnly: boolean }[];
  readonly network: boolean;
  /** By which numbers its user and group are called inside. */
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

export type WorkspaceMode = "rw" | "ro" | "overlay";

/** Processes in it see each other, the workspace and a /tmp of their own, and no other session's. */
export interface Isolation {
  /** As it stands itself, without links. */
  readonly workspace: string;
  readonly starter: ProcessStarter;
  /** What of the file system can be looked at, and what of that can be changed. */
  readonly roots: readonly (Root & { readonly readOnly?: boolean })[];
  /** What everything starts with. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}
