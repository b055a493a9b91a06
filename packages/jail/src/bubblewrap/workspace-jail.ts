import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Log, systemClock, Undo } from "@countersign/core/base";
import { findShell, homeAt } from "@countersign/core/config";
import { homeDirectory, userName } from "@countersign/core/host";
import { isInside } from "@countersign/core/host/fs";
import { JailError } from "../base/index.ts";
import type { BuiltJail } from "../engine/index.ts";
import { hiddenTrees } from "../plan/index.ts";
import type { TerminalSize } from "../process/index.ts";
import { makeSystemSecrets } from "../sensitive/index.ts";
import {
  arrangeMounts,
  JailDirectory,
  type JailedProcess,
  makeTmpBindPath,
  makeWayTo,
  type Session,
  type SessionMounts,
  type SessionRequest,
  type SessionRoot,
  standingAlone,
  startJailed,
  type TmpBindPath,
} from "../session/index.ts";
import type { BubblewrapEngine } from "./bubblewrap-engine.ts";
import { probeEngine } from "./probe-engine.ts";

export interface WorkspaceJailOptions {
  /** All that can be written, and where everything starts. */
  readonly workspace: string;
  /** Countersign's own home: never seen. */
  readonly homeDir: string;
  /** Hosts elsewhere can be reached; nothing of this machine or its private networks ever can. */
  readonly network: boolean;
  /** The workspace can be read, and only /tmp written. */
  readonly readOnly?: boolean | undefined;
  /** A jail of a session's own, that shows what it asks for. */
  readonly session?: SessionRequest | undefined;
  /** What may be written over a session's workspace, and to each other directory that is gone with a run. */
  readonly tmpBytes?: number | undefined;
  readonly log: Log;
}

export interface JailedStart {
  /** Run by `bash -c`. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** How its user and group are called inside; they have no capability, and outside it is the jail's one user. */
  readonly ids?: Session["ids"] | undefined;
  readonly input?: boolean | undefined;
  readonly terminal?: TerminalSize | undefined;
}

/**
 * A jail around a directory for whatever somebody starts there, one process after the other, each with all of its own in a namespace that ends with
 * it. Throws JailError where none can be built.
 */
export async function openWorkspaceJail(options: WorkspaceJailOptions): Promise<WorkspaceJail> {
  const { log, homeDir, network, readOnly = false, session: wish } = options;
  const workspace = giveable(options.workspace, homeDir);
  const directory = JailDirectory.make(log);
  const run = directory.path;
  const home = { ...homeAt(homeDir), run };
  const shell = findShell();
  let opened: BubblewrapEngine | WorkspaceJail | undefined;
  try {
    const temporary = join(run, "tmp");
    mkdirSync(temporary, { mode: 0o700 });
    const mounts = wish && arrangeMounts(wish, { workspace, temporary, hidden: hiddenTrees(home.dir) });
    const limits = { tmpBytes: options.tmpBytes };
    const { engine, problem } = await probeEngine({ home, shell, roots: [workspace], limits, clock: systemClock, log });
    opened = engine;
    if (!engine) throw new JailError("PROBE_FAILED", problem ?? "No jail can be built here");
    const made = mounts ? await furnish(engine, mounts, run) : { way: wayTo(workspace, run) };
    const session =
      "namespace" in made ? { namespace: made.namespace, covered: workspace, ids: wish?.ids ?? {} } : undefined;
    const common = { shell, directory, network, readOnly, temporary, way: made.way, session };
    const jail = new WorkspaceJail(engine, { ...common, workspace: mounts?.[0].path ?? workspace });
    opened = jail;
    if (session) await jail.tryOut();
    return jail;
  } catch (cause) {
    await opened
      ?.close()
      .catch((error: unknown) => log.error({ err: error }, "a jail that can't be used isn't closed"));
    await directory.remove();
    throw cause;
  }
}

function wayTo(path: string, run: string): TmpBindPath | undefined {
  return makeTmpBindPath(path, join(run, "tmp"), join(run, "way"));
}

/** What a session sees, made and held. */
async function furnish(engine: BubblewrapEngine, mounts: SessionMounts, run: string) {
  const way = wayTo(mounts[0].path, run);
  for (const path of standingAlone({ mounts })) if (isInside(path, "/tmp")) makeWayTo(path, join(run, "way"));
  // Whoever wants it waits for it: nobody can call it off.
  const { signal } = new AbortController();
  return {
    way,
    namespace: await engine.openNamespaceOf(mounts, { temporary: mounts[1].source, way, env: {} }, signal),
  };
}

/** A directory of which all may be shown, as it stands itself. Throws JailError where it is too much. */
export function giveable(directory: string, homeDir: string): string {
  const real = realpathSync(directory);
  refuseWide(real, homeDir);
  return real;
}

/** What is in a workspace can be read: a home isn't one, nor is what has other people's in it. */
function refuseWide(workspace: string, homeDir: string): void {
  // Of trees within trees, only the outer ones are in that list.
  // Commands wouldn't be shown the machine's secrets in it, and whoever asks for files would.
  const secrets = makeSystemSecrets()().map(({ path }) => path);
  const hidden = [homeDir, homeDirectory(), ...hiddenTrees(homeDir), ...secrets];
  const within = hidden.find((tree) => isInside(tree, workspace));
  if (workspace !== "/" && within === undefined && !isInside(workspace, homeDir)) return;
  const why = isInside(workspace, homeDir) ? "it is Countersign's own" : `${within ?? "all of the machine"} is in it`;
  throw new JailError("ROOT_TOO_WIDE", `${workspace} can't be the workspace: ${why}. Make a directory for it`);
}

/** What the jails around one workspace have in common. */
interface Common {
  readonly workspace: string;
  readonly shell: string;
  readonly directory: JailDirectory;
  readonly network: boolean;
  readonly readOnly: boolean;
  readonly temporary: string;
  readonly way: TmpBindPath | undefined;
  readonly session: Session | undefined;
}

/** A directory of the jail, by the path that is known inside, and by which it is reached from here. */
export interface JailRoot {
  readonly shown: string;
  readonly directory: string;
  readonly readOnly: boolean;
  /** A name in it that is the way to the workspace, and nobody's to change. */
  readonly held?: string | undefined;
  readonly owner?: SessionRoot["owner"];
}

export class WorkspaceJail {
  readonly workspace: string;
  /** What everything starts with: nothing of ours but where programs are. */
  readonly env: Readonly<Record<string, string>>;
  readonly #engine: BubblewrapEngine;
  readonly #common: Common;
  readonly #ending = new Set<Promise<unknown>>();

  constructor(engine: BubblewrapEngine, common: Common) {
    this.#engine = engine;
    this.#common = common;
    this.workspace = common.workspace;
    this.env = { ...OUTSIDE, HOME: common.workspace, USER: userName(), SHELL: common.shell };
  }

  /** Who everything in it is, by the host's count; inside too, unless a session asks for other numbers. */
  get ids(): { readonly uid: number; readonly gid: number } {
    return { uid: this.#engine.uid, gid: this.#engine.gid };
  }

  /** All that can be looked at in it. */
  get roots(): readonly JailRoot[] {
    const { workspace, temporary, readOnly, way, session } = this.#common;
    const held = (path: string) => (path === "/tmp" ? { held: way?.name } : {});
    if (session) return session.namespace.roots.map(({ path, ...root }) => ({ shown: path, ...root, ...held(path) }));
    return [
      { shown: workspace, directory: workspace, readOnly },
      { shown: "/tmp", directory: temporary, readOnly: false, ...held("/tmp") },
    ];
  }

  async start({ command, cwd, env, ids, input, terminal }: JailedStart): Promise<JailedProcess> {
    const { workspace, shell, network, readOnly, temporary, way, session } = this.#common;
    const wish = terminal && { ...terminal, name: env.TERM ?? "xterm-256color", stderr: true };
    const plan = { kind: "workspace", opensGit: true, reads: [], writes: [], removes: [] } as const;
    const spec = {
      ...{ shell, command, cwd, roots: [workspace], env: OUTSIDE, credentials: { paths: [], env: {} }, code: [] },
      plan: { ...plan, hosts: network ? ("any" as const) : [] },
    };
    const lasting = { temporary, way, env, ids, terminal: wish, readOnly, session };
    const jailed = await this.#engine.buildSession(spec, lasting);
    try {
      const started = await startJailed(jailed.launch, input ?? false);
      this.#follow(started.ended, jailed);
      return started;
    } catch (cause) {
      await jailed.finish();
      throw cause;
    }
  }

  /** What can't be built is told before anybody relies on it. Rejects with JailError. */
  async tryOut(): Promise<void> {
    const tried = await this.start({ command: ":", cwd: this.workspace, env: this.env });
    const patience = setTimeout(() => tried.signal("SIGKILL"), PATIENCE_MS);
    const [, said, end] = await Promise.all([text(tried.stdout), tried.stderr && text(tried.stderr), tried.ended]);
    clearTimeout(patience);
    if ("exitCode" in end && end.exitCode === 0) return;
    throw new JailError("PROBE_FAILED", `no jail can be built around that (${said?.trim() || JSON.stringify(end)})`);
  }

  #follow(ended: Promise<unknown>, jailed: BuiltJail): void {
    const ending = ended.then(() => jailed.finish()).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** When all that was started has ended. */
  async close(): Promise<void> {
    const undo = new Undo();
    undo.push(() => this.#common.directory.remove());
    undo.push(() => this.#engine.close());
    undo.push(() => this.#common.session?.namespace.release());
    undo.push(() => Promise.allSettled(this.#ending));
    await undo.all();
  }
}

/** A jail takes a tenth of a second, and a busy machine ten times as long. */
const PATIENCE_MS = 20_000;
const OUTSIDE = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C.UTF-8" };
