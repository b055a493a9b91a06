import { closeSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { systemClock } from "../clock.ts";
import { homeAt } from "../home.ts";
import type { Log } from "../log.ts";
import { findShell } from "../machine/find-shell.ts";
import { homeDirectory } from "../machine/home-directory.ts";
import { isInside } from "../machine/trusted-path.ts";
import { userName } from "../machine/user-name.ts";
import { PseudoTerminal, type TerminalSize } from "../run/child/pseudo-terminal.ts";
import { type Child, spawnChild } from "../run/child/spawn-child.ts";
import { Gate } from "../run/gate.ts";
import { BwrapStatus } from "./bwrap-status.ts";
import { hiddenTrees } from "./hidden-trees.ts";
import { JailError } from "./jail-error.ts";
import type { Jailed, Jails } from "./jails.ts";
import type { Launch } from "./launch.ts";
import { probeJails } from "./probe-jails.ts";
import { makeWayInTemporary, type WayInTemporary } from "./way-in-temporary.ts";

export interface WorkspaceJailOptions {
  /** All that can be written, and where everything starts. */
  readonly workspace: string;
  /** Countersign's own home: never seen. */
  readonly homeDir: string;
  /** Hosts elsewhere can be reached; nothing of this machine or its private networks ever can. */
  readonly network: boolean;
  /** The workspace can be read, and only /tmp written. */
  readonly readOnly?: boolean | undefined;
  readonly log: Log;
}

export interface JailedStart {
  /** Run by `bash -c`. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: boolean | undefined;
  readonly terminal?: TerminalSize | undefined;
}

export interface JailedProcess {
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  /** None where a terminal joins both. */
  readonly stderr: Readable | undefined;
  readonly ended: Promise<{ readonly exitCode: number } | { readonly signal: NodeJS.Signals }>;
  /** SIGKILL ends all that was started with it, whatever group or session they went to. */
  signal(signal: NodeJS.Signals): void;
  resize(size: TerminalSize): void;
}

/**
 * A jail around a directory for whatever somebody starts there, one process after the other, each with all of its own in a namespace that ends with
 * it. Throws JailError where none can be built.
 */
export async function openWorkspaceJail(options: WorkspaceJailOptions): Promise<WorkspaceJail> {
  const workspace = realpathSync(options.workspace);
  refuseWide(workspace, options.homeDir);
  const run = mkdtempSync(join(realpathSync(tmpdir()), "countersign-jail-"));
  const home = { ...homeAt(options.homeDir), run };
  const shell = findShell();
  const { log } = options;
  try {
    const probed = await probeJails({ home, shell, roots: [workspace], limits: {}, clock: systemClock, log });
    if (!probed.jails) throw new JailError("PROBE_FAILED", probed.problem ?? "No jail can be built here");
    const { network, readOnly = false } = options;
    return new WorkspaceJail(probed.jails, { workspace, shell, run, network, readOnly });
  } catch (cause) {
    rmSync(run, { recursive: true, force: true });
    throw cause;
  }
}

/** What is in a workspace can be read: a home isn't one, nor is what has other people's in it. */
function refuseWide(workspace: string, homeDir: string): void {
  // Of trees within trees, only the outer ones are in that list.
  const hidden = [homeDir, homeDirectory(), ...hiddenTrees(homeDir)];
  const within = hidden.find((tree) => isInside(tree, workspace));
  if (workspace !== "/" && within === undefined && !isInside(workspace, homeDir)) return;
  const why = isInside(workspace, homeDir) ? "it is Countersign's own" : `${within ?? "all of the machine"} is in it`;
  throw new JailError("ROOT_TOO_WIDE", `${workspace} can't be the workspace: ${why}. Make a directory for it`);
}

interface Rooms {
  readonly workspace: string;
  readonly shell: string;
  /** Ours alone. */
  readonly run: string;
  readonly network: boolean;
  readonly readOnly: boolean;
}

export class WorkspaceJail {
  readonly workspace: string;
  /** What everything starts with: nothing of ours but where programs are. */
  readonly env: Readonly<Record<string, string>>;
  readonly #jails: Jails;
  readonly #rooms: Rooms & { readonly temporary: string };
  readonly #way: WayInTemporary | undefined;
  readonly #ending = new Set<Promise<unknown>>();

  constructor(jails: Jails, rooms: Rooms) {
    this.#jails = jails;
    this.#rooms = { ...rooms, temporary: join(rooms.run, "tmp") };
    mkdirSync(this.#rooms.temporary, { mode: 0o700 });
    this.#way = makeWayInTemporary(rooms.workspace, this.#rooms.temporary, join(rooms.run, "way"));
    this.workspace = rooms.workspace;
    this.env = { ...OUTSIDE, HOME: rooms.workspace, USER: userName(), SHELL: rooms.shell };
  }

  /** Where `/tmp` of the jail is out here. */
  get temporary(): string {
    return this.#rooms.temporary;
  }

  /** What in there is the way to the workspace, and nobody's to change. */
  get held(): string | undefined {
    return this.#way?.name;
  }

  async start({ command, cwd, env, input, terminal }: JailedStart): Promise<JailedProcess> {
    const { workspace, shell, network, readOnly, temporary } = this.#rooms;
    const wish = terminal && { ...terminal, name: env.TERM ?? "xterm-256color", stderr: true };
    const cut = { kind: "workspace", opensGit: true, reads: [], writes: [], removes: [] } as const;
    const jailed = await this.#jails.build({
      ...{ shell, command, cwd, roots: [workspace], env: OUTSIDE, lent: { paths: [], env: {} }, code: [] },
      cut: { ...cut, hosts: network ? "any" : [] },
      lasting: { temporary, way: this.#way, env, terminal: wish, readOnly },
    });
    try {
      const started = await launch(jailed.launch, input ?? false);
      this.#follow(started.ended, jailed);
      return started;
    } catch (cause) {
      await jailed.finish();
      throw cause;
    }
  }

  #follow(ended: Promise<unknown>, jailed: Jailed): void {
    const ending = ended.then(() => jailed.finish()).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** When all that was started has ended. */
  async close(): Promise<void> {
    await Promise.all(this.#ending);
    await this.#jails.close();
    rmSync(this.#rooms.run, { recursive: true, force: true });
  }
}

const OUTSIDE = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C.UTF-8" };

async function launch({ jail, ...rest }: Launch, input: boolean): Promise<JailedProcess> {
  const descriptors = jail?.descriptors ?? [];
  const wish = jail?.terminal;
  let terminal: PseudoTerminal | undefined;
  try {
    terminal = wish && new PseudoTerminal(wish, wish.owner);
    const child = await spawnChild({
      ...{ ...rest, descriptors, pipes: jail?.isSound ? 2 : 1, input },
      terminal: terminal && { pseudo: terminal, stderr: true },
    });
    return follow(child, { terminal, isSound: jail?.isSound });
  } catch (cause) {
    terminal?.close();
    throw cause;
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

interface Around {
  readonly terminal: PseudoTerminal | undefined;
  readonly isSound: ((pid: number) => boolean | undefined) | undefined;
}

function follow(child: Child, { terminal, isSound }: Around): JailedProcess {
  const status = new BwrapStatus();
  const kill = () => {
    send(child.pid, "SIGKILL");
    status.kill();
  };
  const gate = child.gate && isSound ? new Gate(child.gate, { isSound, kill }) : undefined;
  child.told?.on("data", (chunk: Buffer) => {
    status.push(chunk);
    if (status.childPid !== undefined) gate?.look(status.childPid);
  });
  let sent: NodeJS.Signals | undefined;
  let isOver = false;
  const ended = child.ended.then((end) => {
    // Its number may be another's from now on.
    isOver = true;
    status.kill();
    gate?.close();
    return endOf(end, sent);
  });
  return {
    ...{ pid: child.pid, stdin: child.stdin, stdout: child.stdout, stderr: terminal ? undefined : child.stderr },
    ended,
    signal: (signal) => {
      if (isOver) return;
      sent = signal;
      if (signal === "SIGKILL") return kill();
      const inside = terminal?.foregroundGroup() ?? status.childPid;
      // While it is being built there is nobody inside to be told.
      if (inside === undefined || !send(inside, signal)) send(child.pid, signal);
    },
    resize: (size) => terminal?.resize(size),
  };
}

/** bwrap tells a signal's end as a shell does, by a number that a program may exit with too: it counts as one where we sent it. */
function endOf(end: Awaited<Child["ended"]>, sent: NodeJS.Signals | undefined): Awaited<JailedProcess["ended"]> {
  if ("signal" in end) return { signal: end.signal as NodeJS.Signals };
  return sent !== undefined && end.exitCode === 128 + constants.signals[sent] ? { signal: sent } : end;
}

/** False where there is no such group any more. */
function send(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause;
    return false;
  }
}
