import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import type { Clock, Log } from "@countersign/core/base";
import { type Home, type RunLimits, runLimits } from "@countersign/core/config";
import { homeDirectory } from "@countersign/core/host";
import { JailError } from "../base/index.ts";
import { DiscardSandboxes } from "../discard/index.ts";
import { type Engine, effectsNotHeld, runInJail } from "../engine/index.ts";
import { MountWatch } from "../held/index.ts";
import { findDroppedUser, IdmapMounts, rootProgram } from "../idmap/index.ts";
import { JailNetworks } from "../network/index.ts";
import { canChangeContext, PrivilegedStarter, startProcess, Withdrawal } from "../process/index.ts";
import { RunLimiter } from "../resources/index.ts";
import { ProgramFile, seccompProgram } from "../seccomp/index.ts";
import { HiddenPaths, makeHostSockets, makeSystemSecrets, makeVisibleHome, PlaceIndex } from "../sensitive/index.ts";
import { type GuardReport, leftWords, OpenLooks, Placeholders, Stamper, WorkspaceGuards } from "../workspace/index.ts";
import { BubblewrapEngine, type BubblewrapOptions } from "./bubblewrap-engine.ts";

export interface ProbeFacts {
  readonly home: Home;
  readonly shell: string;
  /** Workspaces: the user that a root hub becomes must own none. */
  readonly roots: readonly string[];
  readonly sandboxUser?: string | undefined;
  readonly limits: RunLimits;
  /** How previews discard what is written, if not in the best way that works here. */
  readonly discardBy?: "overlay" | "copy" | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export interface EngineProbe {
  readonly engine: Engine | undefined;
  /** Why there is none, if it was tried. */
  readonly problem?: string | undefined;
  /** Looks at what runs of a killed hub left, even if there is no engine any more. Returns what it found, by the proposal's key. */
  finishLeft?(): Promise<ReadonlyMap<string, string>>;
}

interface BubblewrapProbe extends EngineProbe {
  readonly engine: BubblewrapEngine | undefined;
}

const PROBE_TIMEOUT_MS = 10_000;

/** Builds a jail once and tries it, before anything is decided as if there were one. */
export async function probeEngine(facts: ProbeFacts): Promise<BubblewrapProbe> {
  let engine: BubblewrapEngine | undefined;
  const index = new PlaceIndex();
  const looks = new OpenLooks(facts.home.run);
  const quarantineDirectory = join(facts.home.dir, "quarantine");
  const guards = new WorkspaceGuards({ index, stamper: new Stamper(), looks, quarantineDirectory });
  const finishLeft = () => finishLeftLooks(looks, guards, facts.log);
  try {
    engine = new BubblewrapEngine(optionsFrom(facts, guards));
    const missing = effectsNotHeld(engine);
    if (missing.length > 0) throw new JailError("PROBE_FAILED", `A jail doesn't hold ${missing.join(", ")}`);
    await engine.probe();
    return { engine, finishLeft };
  } catch (cause) {
    await engine?.close();
    if (cause instanceof JailError) return { engine: undefined, problem: cause.message, finishLeft };
    throw cause;
  }
}

function optionsFrom(probe: ProbeFacts, guards: WorkspaceGuards): BubblewrapOptions {
  const { home, roots, sandboxUser, clock, log, ...facts } = probe;
  if (process.platform !== "linux") throw new JailError("PROBE_FAILED", "Jails are built on Linux only");
  const limits = runLimits(facts.limits);
  const bwrap = rootProgram("/usr/bin/bwrap");
  const becomes = process.getuid?.() === 0 ? dropped(roots, sandboxUser) : undefined;
  return {
    bwrap,
    tryOut: (engine) => tryOut(engine, probe, becomes?.user.uid),
    ownHome: home.dir,
    stateDirectory: home.run,
    seccomp: seccompFiles(),
    dropped: becomes,
    previews: new DiscardSandboxes({
      user: becomes?.user,
      keptIn: home.run,
      bytes: limits.tmpBytes,
      how: facts.discardBy,
    }),
    guards,
    placeholders: new Placeholders(home.run),
    watch: new MountWatch(),
    visibleHome: makeVisibleHome(homeDirectory(), clock),
    limiter: new RunLimiter(limits),
    configuredLimits: facts.limits,
    scratchBytes: limits.tmpBytes,
    networks: new JailNetworks({ bwrap, clock, log }),
    hiddenPaths: new HiddenPaths({
      ownHome: home.dir,
      dropped: becomes?.user,
      systemSecrets: makeSystemSecrets(clock),
      hostSockets: makeHostSockets(clock),
    }),
  };
}

function dropped(roots: readonly string[], configured: string | undefined): BubblewrapOptions["dropped"] {
  const user = findDroppedUser({ configured, roots });
  if (user) return { user, idmapMounts: new IdmapMounts({ user }), starter: starterHere() };
  const who = configured === undefined ? "neither countersign nor nobody" : `no user ${configured}`;
  throw new JailError("USER_MISSING", `A root hub needs an unprivileged user to become, and there is ${who}`);
}

/** Nobody waits for what a thread of ours starts where the hub itself is one. */
function starterHere(): PrivilegedStarter | undefined {
  return isMainThread && canChangeContext() ? new PrivilegedStarter() : undefined;
}

/** A read-only jail needs no unix sockets, and a read-only mount doesn't keep anyone from connecting to one. */
function seccompFiles(): BubblewrapOptions["seccomp"] {
  const programs = [true, false].map((unixSockets) => seccompProgram(process.arch, { unixSockets }));
  const [all, withoutUnix] = programs.map((program) => program && new ProgramFile(program));
  if (!all || !withoutUnix) {
    throw new JailError("ARCHITECTURE_UNKNOWN", `There's no table of system calls for ${process.arch}`);
  }
  return {
    open: (kind) => (kind === "read-only" || kind === "read-only+network" ? withoutUnix : all).open(),
    close() {
      for (const file of [all, withoutUnix]) file.close();
    },
  };
}

/** What must be so in a jail; each line that fails is told by its number. */
const CANARY = `
set -u
fail() { echo "check $1 failed" >&2; exit 1; }
echo x > made || fail 1
! { echo x > /usr/countersign-canary; } 2>/dev/null || fail 2
! ls "$OWN_HOME"/config.json "$OWN_HOME"/keys >/dev/null 2>&1 || fail 3
while read -r name value _; do
  case "$name" in
    CapEff:|CapPrm:|CapBnd:) [ "$((16#$value))" = 0 ] || fail 4 ;;
    NoNewPrivs:) [ "$value" = 1 ] || fail 5 ;;
    Seccomp:) [ "$value" = 2 ] || fail 6 ;;
    Uid:) [ "$value" = "$WANTED_UID" ] || fail 7 ;;
  esac
done < /proc/self/status
! { : < /dev/tcp/127.0.0.1/9; } 2>/dev/null || fail 8
`;

async function tryOut(engine: Engine, { home, shell, clock }: ProbeFacts, dropped: number | undefined): Promise<void> {
  const dir = mkdtempSync(join(home.run, "probe-"));
  try {
    const plan = { kind: "workspace", hosts: [], opensGit: false, reads: [], writes: [], removes: [] } as const;
    const env = { PATH: "/usr/bin:/bin", OWN_HOME: home.dir, WANTED_UID: `${dropped ?? process.getuid?.() ?? 0}` };
    const spec = {
      plan,
      shell,
      command: CANARY,
      cwd: dir,
      roots: [dir],
      env,
      credentials: { paths: [], env: {} },
      code: [],
    };
    const { result } = await runInJail(
      () => engine.build(spec),
      (launch) =>
        startProcess(
          { launch, timeoutMs: PROBE_TIMEOUT_MS, killGraceMs: 0, maxOutputBytes: 4_096 },
          clock,
          new Withdrawal(),
        ),
    );
    const { end, stderr } = result;
    if (end.kind === "exited" && end.exitCode === 0) return;
    const why = "reason" in end ? end.reason : `a jail was built and didn't hold (${stderr.trim() || end.kind})`;
    throw new JailError("PROBE_FAILED", why);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const UNREAD =
  "run/looks.jsonl is damaged: what runs of a killed hub left may not have been looked at. Look at what starts code in your workspaces (.git, .envrc, .vscode, settings of agents)";

/**
 * Looks at what runs left whose hub was killed, and takes away what would start code: before anything else runs there. Gives back what was
 * found, in words, by the key of the proposal.
 */
async function finishLeftLooks(
  looks: OpenLooks,
  guards: WorkspaceGuards,
  log: Log,
): Promise<ReadonlyMap<string, string>> {
  const told = new Map<string, string>();
  if (looks.unread > 0) log.warn({ lines: looks.unread }, UNREAD);
  for (const left of looks.takeLeft()) {
    const { root, key } = left.facts;
    try {
      const words = wordsOf(await guards.finishLeft(left));
      if (words === "") continue;
      log.warn({ root, proposal: key }, words);
      if (key !== undefined) told.set(key, [told.get(key) ?? [], words].flat().join(" "));
    } catch (cause) {
      // It stays open on disk: the next start tries again.
      log.error({ err: cause, root }, "what a run left can't be looked at");
    }
  }
  looks.forgetLeft();
  return told;
}

function wordsOf({ failed, unseen, ...report }: GuardReport): string {
  return leftWords({ ...report, unsure: [...failed, ...unseen] }).join(" ");
}
