import { statSync } from "node:fs";
import { uuidv7 } from "uuidv7";
import { isInside } from "../machine/trusted-path.ts";
import { Undo } from "../undo.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import type { JailCut, JailKind } from "./cut-jail.ts";
import type { DroppedUser } from "./dropped-user.ts";
import { enterNamespaces } from "./enter-namespaces.ts";
import { hiddenTrees, outermost } from "./hidden-trees.ts";
import { JailError } from "./jail-error.ts";
import type { JailView } from "./jail-view.ts";
import type { MountRoom } from "./kept-mount-room.ts";
import { type Launch, shellWords, statusFd } from "./launch.ts";
import type { Lent } from "./lend.ts";
import type { LimitedRun, RunLimiter } from "./limits/run-limiter.ts";
import type { MountRooms } from "./mount-rooms.ts";
import type { NetworkRoom, NetworkRooms } from "./network/network-rooms.ts";
import { type Hide, hideAt } from "./places/hide.ts";
import { isReachableByAll } from "./reachable.ts";
import { viewMachine } from "./view-machine.ts";
import type { PreparedWorkspace, Workspaces } from "./workspaces.ts";

export interface JailRequest {
  readonly cut: JailCut;
  readonly shell: string;
  readonly command: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly lent: Lent;
}

/** What the jail saw of a run. */
export interface JailReport {
  /** Connections that it refused. */
  readonly refused: readonly string[];
  /** What the run left that would start code, and where it was put. */
  readonly quarantined: readonly string[];
  /** What it had too little of. */
  readonly exceeded: readonly string[];
}

export interface Jailed {
  readonly launch: Launch;
  /** After the run, once: lets go of what the jail needed, and tells what it saw. */
  finish(): Promise<JailReport>;
}

export interface JailFacts {
  readonly bwrap: string;
  /** Countersign's own home. */
  readonly ownHome: string;
  /** Opens the seccomp program for one more run. */
  openSeccomp(kind: JailKind): number;
  /** A root hub becomes this user, and shows it what it may see through mount rooms. */
  readonly dropped?: { readonly user: DroppedUser; readonly rooms: MountRooms } | undefined;
  readonly workspaces: Workspaces;
  readonly limiter: RunLimiter;
  readonly networks: NetworkRooms;
  readonly scratchBytes: number;
  systemSecrets(): readonly Hide[];
  hostSockets(): readonly string[];
}

/** Builds the jail of each run. There is one only where a jail was built and held when the hub started. */
export class Jails {
  readonly #facts: JailFacts;

  constructor(facts: JailFacts) {
    this.#facts = facts;
  }

  /** Who a run is, by the host's count. */
  get uid(): number {
    return this.#facts.dropped?.user.uid ?? process.getuid?.() ?? 0;
  }

  async build(request: JailRequest): Promise<Jailed> {
    const undo = new Undo();
    try {
      const roots = outermost(request.roots.filter(isDirectory));
      if (roots.includes("/")) throw new JailError("ROOT_TOO_WIDE", "The workspace is /: no jail can be cut around it");
      const workspaces: PreparedWorkspace[] = [];
      for (const root of roots) {
        const prepared = await this.#facts.workspaces.prepare(root, request.cut);
        undo.push(() => prepared.release());
        workspaces.push(prepared);
      }
      const view = this.#view(request, roots, workspaces);
      const room = await this.#facts.dropped?.rooms.room(pathsToLend(view));
      undo.push(() => room?.release());
      const network = await this.#network(request);
      undo.push(() => network?.close());
      const limited = this.#facts.limiter.start(uuidv7());
      undo.push(() => limited.end());
      const built = { view, room, network, limited };
      return { launch: this.#launch(request, built), finish: () => finish(built, undo) };
    } catch (cause) {
      await undo.all();
      throw cause;
    }
  }

  async #network({ cut, lent }: JailRequest): Promise<NetworkRoom | undefined> {
    if (cut.hosts.length === 0) return undefined;
    // Clusters and registries of one's own are on private addresses.
    const privateToo = cut.kind === "open" || lent.paths.length > 0;
    return await this.#facts.networks.open({ hosts: cut.hosts, privateToo });
  }

  #view({ cut, cwd, lent }: JailRequest, roots: readonly string[], workspaces: readonly PreparedWorkspace[]): JailView {
    const { ownHome, scratchBytes, systemSecrets, hostSockets } = this.#facts;
    const sockets = hostSockets().filter((path) => !lent.paths.some((one) => isInside(path, one)));
    const always = [ownHome, ...sockets].flatMap((path) => hideAt(path) ?? []);
    return viewMachine({
      ...{ cut, cwd, roots, scratchBytes },
      hidden: hiddenTrees(ownHome),
      homeShown: [],
      lent: lent.paths,
      secrets: [...systemSecrets(), ...always],
      steps: workspaces.flatMap(({ steps }) => steps),
    });
  }

  #launch({ cut, shell, command, env, lent }: JailRequest, { view, room, network, limited }: Built): Launch {
    const { bwrap, dropped, openSeccomp } = this.#facts;
    const descriptors = [openSeccomp(cut.kind)];
    const setting = {
      hasNetwork: network !== undefined,
      seccompFd: 3,
      statusFd: statusFd(descriptors),
      sourceOf: (path: string) => room?.pathOf(path) ?? path,
    };
    const [file = bwrap, ...args] = [
      ...limited.outside,
      ...enterNamespaces({ ...room?.namespaces, ...network?.namespaces }, dropped?.user),
      ...[bwrap, ...bwrapArguments(view, setting), "--", ...limited.inside, ...shellWords(shell, command)],
    ];
    return {
      file,
      args,
      env: { ...env, ...network?.env, ...lent.env, TMPDIR: "/tmp" },
      cwd: "/",
      jail: { descriptors },
    };
  }

  async close(): Promise<void> {
    this.#facts.dropped?.rooms.close();
    this.#facts.limiter.close();
    await this.#facts.networks.close();
  }
}

interface Built {
  readonly view: JailView;
  readonly room: MountRoom | undefined;
  readonly network: NetworkRoom | undefined;
  readonly limited: LimitedRun;
}

async function finish({ limited, network }: Built, undo: Undo): Promise<JailReport> {
  const exceeded = limited.exceeded();
  const refused = network?.refused() ?? [];
  await undo.all();
  return { refused, quarantined: [], exceeded };
}

/** What a dropped user must be shown as its own: the workspace, and what it couldn't read otherwise. */
function pathsToLend({ roots, shown }: JailView): string[] {
  return [...roots, ...shown.map(({ path }) => path).filter((path) => !isReachableByAll(path))];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
