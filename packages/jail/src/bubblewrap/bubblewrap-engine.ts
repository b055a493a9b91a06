import { existsSync, statSync } from "node:fs";
import { Undo } from "@countersign/core/base";
import type { RunLimits } from "@countersign/core/config";
import { homeDirectory } from "@countersign/core/host";
import { isInside } from "@countersign/core/host/fs";
import type { EffectKind } from "@countersign/vocabulary";
import { uuidv7 } from "uuidv7";
import { type CodeSnapshot, JailError, openSnapshot } from "../base/index.ts";
import { DiscardedRun, type DiscardSandboxes } from "../discard/index.ts";
import type { BuiltJail, Engine, JailSpec } from "../engine/index.ts";
import { type HiddenFromGit, hiddenFromGit } from "../git/index.ts";
import { holdFacts, type MountWatch } from "../held/index.ts";
import {
  type DroppedUser,
  enterNamespaces,
  type IdmapMounts,
  type MountNamespace,
  type Namespaces,
} from "../idmap/index.ts";
import type { JailNetwork, JailNetworks } from "../network/index.ts";
import { type OpenedFiles, openFiles } from "../opened/index.ts";
import {
  hiddenTrees,
  isReachableByAll,
  type JailKind,
  type JailPlan,
  type JailView,
  outermost,
  type PlaceStep,
} from "../plan/index.ts";
import {
  gateFd,
  type Launch,
  type PrivilegedStarter,
  type ProcessResult,
  SHELL_REPORT_ENV,
  shellReportFd,
  shellReportScript,
  shellWords,
  statusFd,
  type TerminalRequest,
} from "../process/index.ts";
import { type LimitedRun, limitFirst, type RunLimiter } from "../resources/index.ts";
import { type HiddenPaths, type ViewFacts, type VisibleHome, viewMachine } from "../sensitive/index.ts";
import {
  idArguments,
  openSessionNamespace,
  type Session,
  type SessionJailOptions,
  type SessionMounts,
  type SessionNamespace,
  sessionJailView,
  sessionView,
  settingsOf,
  standingAlone,
} from "../session/index.ts";
import type { Guard, JailReport, Placeholders, WorkspaceGuards } from "../workspace/index.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import { isSound } from "./is-sound.ts";
import { type Guarded, guarded, shownBesides } from "./shown-besides.ts";

/** A spec as this engine builds it. */
interface Request extends JailSpec {
  readonly discarded?: DiscardedRun | undefined;
  /** It isn't one proposed command's, but somebody's who lives there. */
  readonly lasting?: SessionJailOptions | undefined;
}

export interface BubblewrapOptions {
  readonly bwrap: string;
  /** Countersign's own home. */
  readonly ownHome: string;
  /** Ours alone. */
  readonly stateDirectory: string;
  /** Opens the seccomp program for one more run. */
  readonly seccomp: { open(kind: JailKind): number; close(): void };
  /** A root hub becomes this user, and shows it what it may see through mount namespaces. */
  readonly dropped?: Dropped | undefined;
  readonly guards: WorkspaceGuards;
  readonly placeholders: Placeholders;
  readonly watch: MountWatch;
  readonly previews: DiscardSandboxes;
  readonly limiter: RunLimiter;
  /** Limits that the configuration sets, besides those that every run has. */
  readonly configuredLimits: RunLimits;
  readonly networks: JailNetworks;
  readonly scratchBytes: number;
  /** Starts a command that looks at the jail from inside. Rejects with JailError. */
  tryOut(engine: Engine): Promise<void>;
  readonly hiddenPaths: HiddenPaths;
  visibleHome(): VisibleHome;
}

interface Dropped {
  readonly user: DroppedUser;
  readonly idmapMounts: IdmapMounts;
  /** Undefined where threads can't become it. */
  readonly starter: PrivilegedStarter | undefined;
}

/** Builds jails with bubblewrap: namespaces, mounts, a filter of system calls. Linux alone. */
export class BubblewrapEngine implements Engine {
  readonly #options: BubblewrapOptions;

  constructor(options: BubblewrapOptions) {
    this.#options = options;
  }

  /** Who a run is, by the host's count. */
  get uid(): number {
    return this.#options.dropped?.user.uid ?? process.getuid?.() ?? 0;
  }

  /** The user that a root hub becomes. */
  get droppedUid(): number | undefined {
    return this.#options.dropped?.user.uid;
  }

  get gid(): number {
    return this.#options.dropped?.user.gid ?? process.getgid?.() ?? 0;
  }

  /** Limits of every run that don't hold here in full, in words: people are told, where they rely on them. */
  get unheldLimits(): readonly string[] {
    return this.#options.limiter.unheld(this.#options.configuredLimits);
  }

  holds(effect: EffectKind): boolean {
    return HELD.has(effect);
  }

  async probe(): Promise<void> {
    await this.#options.previews.clean();
    await this.#options.tryOut(this);
  }

  async build(spec: JailSpec): Promise<BuiltJail> {
    if (!spec.discards) return await this.#build(spec);
    const discarded = new DiscardedRun(this.#options.previews, spec.discards.cancelled);
    return { ...(await this.#build({ ...spec, discarded })), discarded };
  }

  /** Builds the jail of a process that lives in a workspace of its own. Rejects with JailError. */
  async buildSession(spec: JailSpec, lasting: SessionJailOptions): Promise<BuiltJail> {
    return await this.#build({ ...spec, lasting });
  }

  async #build(request: Request): Promise<BuiltJail> {
    const undo = new Undo();
    try {
      const { session } = request.lasting ?? {};
      // A session's is held already, whatever stands where it was.
      const roots = session ? request.roots : outermost(request.roots.filter(isDirectory));
      if (roots.includes("/")) throw new JailError("ROOT_TOO_WIDE", "The workspace is /: no jail can be cut around it");
      const hidden = outermost([...hiddenTrees(this.#options.ownHome), ...coveredBy(session, roots)]);
      const predicted = request.lasting ? [] : shownBesides(request, { roots, hidden });
      const guards: Guard[] = [];
      for (const place of request.lasting ? [] : guarded(roots, predicted, request.plan)) {
        const guard = await this.#guard(place, request);
        undo.push(() => guard.release());
        guards.push(guard);
      }
      const files = openFiles(request.opens);
      undo.push(() => files.release());
      const found = { roots, hidden, predicted, opened: files.paths };
      const view = this.#view(request, { ...found, steps: guards.flatMap(({ steps }) => steps) });
      const git = hiddenFromGit(view);
      const namespace = await this.#namespace(request, view);
      undo.push(() => namespace?.release());
      const network = await this.#network(request);
      undo.push(() => network?.close());
      const limited = this.#options.limiter.start();
      undo.push(() => limited.end());
      const built = { view, git, namespace, network, limited, guards, files };
      const seen = { ...request, code: seenCode(request.code, view) };
      const hold = request.lasting ? undefined : this.#hold(seen, view, files);
      const launch = this.#launch(withIndexes(seen, git), { ...built, hold });
      return { launch, mayBuildAgain: vanished, finish: () => finish(built, undo) };
    } catch (cause) {
      await undo.all();
      throw asJailError(cause);
    }
  }

  async #guard({ root, isGit, writable }: Guarded, { plan, discarded, key }: Request): Promise<Guard> {
    const { writes, removes, opensGit } = plan;
    const facts = { root, isGit, home: homeDirectory(), writable, writes, removes, opensGit, key };
    return discarded
      ? await discarded.guard(facts)
      : await this.#options.guards.guard(facts, this.#options.placeholders);
  }

  /** Makes what a session will see, for as long as it lasts. `lasting` is what it has besides. Rejects with JailError. */
  async openNamespaceOf(
    mounts: SessionMounts,
    lasting: SessionJailOptions,
    signal: AbortSignal,
  ): Promise<SessionNamespace> {
    const { dropped, ownHome, scratchBytes: bytes } = this.#options;
    const [{ path: root }] = mounts;
    const found = { roots: [root], hidden: hiddenTrees(ownHome), predicted: [], opened: [], steps: [] };
    const view = this.#view({ plan: SESSION, cwd: root, credentials: { paths: [], env: {} }, lasting }, found);
    const lent = pathsToLend(view).filter((path) => path !== root && path !== lasting.temporary);
    return await openSessionNamespace({ mounts, lent, user: dropped?.user, bytes, signal });
  }

  async #namespace({ discarded, lasting }: Request, view: JailView): Promise<MountNamespace | undefined> {
    // Its session's, which lets go of it.
    if (lasting?.session) return { ...lasting.session.namespace, release: () => undefined };
    const paths = pathsToLend(view);
    return discarded
      ? await discarded.open(paths, writtenIn(view))
      : await this.#options.dropped?.idmapMounts.open(paths);
  }

  async #network({ plan, credentials }: Request): Promise<JailNetwork | undefined> {
    if (plan.hosts.length === 0) return undefined;
    // Clusters and registries of one's own are on private addresses.
    const privateToo = plan.kind === "open" || credentials.paths.length > 0;
    return await this.#options.networks.open({ hosts: plan.hosts, privateToo });
  }

  #view(
    { plan, cwd, credentials, lasting }: Pick<Request, "plan" | "cwd" | "credentials" | "lasting">,
    found: Pick<ViewFacts, "roots" | "hidden" | "predicted" | "opened" | "steps">,
  ): JailView {
    const { scratchBytes, visibleHome } = this.#options;
    const secrets = this.#options.hiddenPaths.within([...found.roots, ...found.predicted.map(({ path }) => path)]);
    const view = viewMachine({
      ...found,
      plan,
      cwd,
      inHome: visibleHome(),
      lent: credentials.paths,
      secrets,
      scratchBytes,
    });
    if (!lasting) return view;
    const seen = sessionJailView(view, lasting);
    if (!lasting.session) return seen;
    return sessionView(seen, lasting.session, {
      hiddenIn: (trees) => this.#options.hiddenPaths.within(trees),
      isReadable: (path) => this.#options.dropped === undefined || isReachableByAll(path),
    });
  }

  /** What is lost while the command runs ends it. A lasting jail has no code that was approved, and outlives many changes of its host. */
  #hold({ code, heldCode = [], discarded }: Request, view: JailView, files: OpenedFiles): NonNullable<Built["hold"]> {
    const copies = code.map(({ path }) => path);
    // What is hidden isn't run, and stays hidden.
    const seen = heldCode.filter(({ path, stamp }) => stamp !== undefined || copies.includes(path));
    return async (pid) => {
      const facts = holdFacts({ view, copies, code: seen, own: discarded ? writtenIn(view) : [] });
      const held = facts && (await this.#options.watch.hold(pid, facts));
      // The gate opens at once.
      if (held) files.started();
      return held;
    };
  }

  #launch({ plan, shell, command, env, credentials, attached, lasting, ...request }: Request, built: Built): Launch {
    const { view, namespace, network, limited, hold, files } = built;
    const { bwrap, dropped, seccomp, stateDirectory } = this.#options;
    // Whoever may write in the workspace at the same time may have changed it since it was looked at.
    const gated = hold !== undefined || plan.kind === "workspace" || plan.kind === "open";
    const code = attached ? [...request.code, shellReportScript(shellReportFdOf(request.code, gated))] : request.code;
    const read = [...code, ...(lasting ? [settingsOf(lasting)] : [])];
    const descriptors = [seccomp.open(plan.kind), ...read.map((one) => openSnapshot(one, stateDirectory))];
    const terminal = setsid === undefined ? undefined : (lasting ?? attached)?.terminal;
    const replaced = code.map(({ path }) => path);
    const setting = {
      hasNetwork: network !== undefined,
      gateFd: gated ? gateFd(descriptors) : undefined,
      seccompFd: 3,
      code: code.map(({ path, mode }, at) => ({ path, mode, fd: 4 + at })),
      statusFd: statusFd(descriptors),
      sourceOf: (path: string) => namespace?.pathOf(path) ?? path,
    };
    if (namespace?.namespaces.user !== undefined && network?.namespaces.user !== undefined)
      throw new JailError("NETWORK_UNAVAILABLE", "A network and mounts of its own can't be had together by this user");
    const namespaces = { ...namespace?.namespaces, ...network?.namespaces };
    const start = starting(dropped, namespaces, limited);
    const limit = lasting && gated ? limitFirst(asWhoRuns(limited.inside, dropped)) : undefined;
    const [file = bwrap, ...args] = [
      ...(start ? [] : [...limited.outside, ...enterNamespaces(namespaces, dropped?.user)]),
      ...[
        bwrap,
        ...bwrapArguments(view, setting),
        ...idArguments(lasting?.ids ?? lasting?.session?.ids ?? {}),
        ...(lasting ? ["--args", `${2 + descriptors.length}`] : []),
        "--",
        ...(limit ? [] : limited.inside),
        ...onTerminal(terminal),
        ...shellWords(shell, command),
      ],
    ];
    const alone = lasting?.session ? standingAlone(lasting.session.namespace) : [];
    const sound = (pid: number) =>
      isSound({ ...view, roots: [...view.roots, ...alone] }, replaced, pid) && files.areIn(pid);
    return {
      file,
      args,
      env: {
        ...env,
        ...network?.env,
        ...credentials.env,
        TMPDIR: "/tmp",
        ...(view.home !== homeDirectory() && { HOME: view.home }),
        ...(terminal && { TERM: terminal.name }),
        ...(attached && SHELL_REPORT_ENV),
      },
      cwd: "/",
      ...(start && { start }),
      jail: {
        ...{ descriptors, reports: attached !== undefined },
        ...(gated && { isSound: (pid: number) => (limit ? limit(pid) && sound(pid) : sound(pid)), hold }),
        ...(terminal && { terminal: { ...terminal, owner: this.uid } }),
      },
    };
  }

  async close(): Promise<void> {
    this.#options.dropped?.idmapMounts.close();
    await this.#options.dropped?.starter?.close();
    await this.#options.watch.close();
    this.#options.previews.close();
    this.#options.limiter.close();
    this.#options.placeholders.close();
    this.#options.guards.close();
    this.#options.seccomp.close();
    await this.#options.networks.close();
  }
}

/** What a jail keeps out or allows by name. Programs that start others, and what is done far away, are no matter of mounts. */
const HELD: ReadonlySet<EffectKind> = new Set<EffectKind>([
  ...(["reads", "writes", "deletes", "persistence", "history-rewrite", "credentials"] as const),
  ...(["network-read", "network-send", "privilege", "process-control"] as const),
]);

/** bwrap's own words for a place that it should cover and that isn't there any more, or ours. Nothing of the command has run. */
function vanished({ end }: ProcessResult): boolean {
  return end.kind === "jail-refused" && /\bbwrap: Can't |^The jail wasn't what/.test(end.reason);
}

const SESSION: JailPlan = { kind: "workspace", hosts: [], opensGit: true, reads: [], writes: [], removes: [] };

/** Root itself may not be allowed to limit what is another user's (CAP_SYS_RESOURCE): that user is. */
function asWhoRuns(words: readonly string[], dropped: Dropped | undefined): readonly string[] {
  return words.length === 0 ? [] : [...enterNamespaces({}, dropped?.user), ...words];
}

/** From where bwrap starts, where a thread can go there; undefined: programs before it do. */
function starting(
  dropped: Dropped | undefined,
  { user, ...namespaces }: Namespaces,
  { threadFiles }: LimitedRun,
): Launch["start"] {
  if (!dropped?.starter || threadFiles === undefined || user !== undefined) return undefined;
  const { starter, user: becomes } = dropped;
  const context = { namespaces, user: { uid: becomes.uid, gid: becomes.gid }, groups: threadFiles };
  return (request) => starter.start(request, context);
}

/** One more file that is handed over, and behind them all the descriptor that it names. */
function shellReportFdOf(code: readonly CodeSnapshot[], gated: boolean): number {
  return shellReportFd(new Array<number>(code.length + 2), { gated });
}

const setsid = ["/usr/bin/setsid", "/bin/setsid"].find((path) => existsSync(path));

/** Inside, since bwrap has a session of its own: only the command's own is to be reached by what is typed (Ctrl-C). */
function onTerminal(terminal: TerminalRequest | undefined): string[] {
  return terminal && setsid !== undefined ? [setsid, "--ctty"] : [];
}

interface Built {
  readonly view: JailView;
  readonly namespace: MountNamespace | undefined;
  readonly network: JailNetwork | undefined;
  readonly limited: LimitedRun;
  readonly guards: readonly Guard[];
  readonly git: HiddenFromGit;
  readonly files: OpenedFiles;
  readonly hold?: NonNullable<Launch["jail"]>["hold"];
}

/** Where a session has all of the workspace, there's nothing of it to cover. */
function coveredBy(session: Session | undefined, roots: readonly string[]): string[] {
  return session && !roots.includes(session.covered) ? [session.covered] : [];
}

/** What is hidden stays so when somebody calls it code: `bash .env` tells what is in it. */
function seenCode(code: readonly CodeSnapshot[], { steps }: JailView): CodeSnapshot[] {
  const hidden = steps.filter((step) => step.do === "hide");
  return code.filter(({ path }) => !hidden.some((step) => isInside(path, step.path)));
}

/** git that may write replaces its index, and nothing can be mounted over it. */
function withIndexes(request: Request, { indexes }: HiddenFromGit): Request {
  return request.plan.opensGit ? request : { ...request, code: [...request.code, ...indexes] };
}

async function finish({ limited, network, guards, view, git }: Built, undo: Undo): Promise<JailReport> {
  try {
    const exceeded = limited.exceeded();
    const refused = network?.refused() ?? [];
    // What is left of the run goes first: nothing may be planted behind the scan.
    await limited.end();
    const runId = uuidv7();
    const reports = await Promise.all(guards.map((guard, at) => guard.finish(`${runId}-${at}`)));
    return {
      ...{ refused, exceeded },
      hidden: pathsOf(view, ["hide"]),
      held: pathsOf(view, ["read-only", "mask"]),
      pinned: pathsOf(view, ["pin"]),
      tracked: git.tracked,
      quarantined: reports.flatMap(({ quarantined }) => quarantined),
      changed: reports.flatMap(({ changed }) => changed),
      vanished: reports.flatMap(({ vanished }) => vanished),
      unsure: reports.flatMap(({ failed, unseen }) => [...failed, ...unseen]),
    };
  } finally {
    await undo.all();
  }
}

function pathsOf({ steps }: JailView, kinds: readonly PlaceStep["do"][]): string[] {
  return steps.filter((step) => kinds.includes(step.do)).map(({ path }) => path);
}

/** What a file system says while a jail is made keeps it from being made. */
function asJailError(cause: unknown): unknown {
  if (cause instanceof JailError || !(cause instanceof Error && "syscall" in cause)) return cause;
  return new JailError("STATE_UNWRITABLE", `The jail could not be made: ${cause.message}`, { cause });
}

/** What a dropped user must be shown as its own: the workspace, and what it couldn't read otherwise. */
function pathsToLend({ roots, shown }: JailView): string[] {
  const lent = shown.filter(({ path, source, own }) => own || !isReachableByAll(source ?? path));
  return [...roots, ...lent.map(({ path, source }) => source ?? path)];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** What a run may write, which a preview lays something over. */
function writtenIn({ roots, shown }: JailView): string[] {
  return [...roots, ...shown.filter(({ writable }) => writable).map(({ path }) => path)];
}
