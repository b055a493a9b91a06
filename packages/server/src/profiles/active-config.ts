import { canonicalize, type Json } from "@countersign/receipts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Approvals } from "../hub/approvals.ts";
import type { Log } from "../log.ts";
import { sha256Hex } from "../sha256.ts";
import type { Store, Write } from "../store/store.ts";
import { PolicyQuestion } from "./policy-question.ts";

/** The part of `config.json` that decides what an agent may do, and whose word about sandboxes goes on record. */
type Grants = Pick<Config, "agents" | "roots" | "providers"> & Pick<Config["receipts"], "emitters">;

const ACCEPTED = "config.accepted";
const DENIED = "config.denied";
const NOTHING: Grants = { agents: {}, roots: [], providers: {}, emitters: [] };

interface Rooms {
  readonly store: Store;
  readonly approvals: Approvals;
  readonly clock: Clock;
  readonly log: Log;
  isPaused(): boolean;
  /** Whether the organisation takes only a device's word for what widens. */
  requiresDevice(): boolean;
}

/**
 * The configuration in force. Which profile, workspace and roots an agent has is policy too, and so is where its model is asked, and who may write
 * a sandbox's chain: after the very first start a change there waits for a person, as an edit of a profile does. Taking a root or an
 * emitter away applies at once.
 */
export class ActiveConfig {
  #current: Config;
  /** Whether the file asks for more than a person has allowed. */
  frozen = false;

  private constructor(config: Config) {
    this.#current = config;
  }

  get current(): Config {
    return this.#current;
  }

  static async load(
    file: Config,
    rooms: Rooms,
    { firstStart }: { readonly firstStart: boolean },
  ): Promise<ActiveConfig> {
    const wanted = grantsIn(file);
    const stored = (await rooms.store.setting(ACCEPTED)) as Partial<Grants> | undefined;
    // What was accepted before emitters or providers were part of it names none.
    const accepted = stored === undefined && firstStart ? wanted : { ...NOTHING, ...stored };
    const changes = describeChanges(accepted, wanted);
    const active = new ActiveConfig(file);
    const inForce = changes.length === 0 ? wanted : withoutThoseTakenAway(accepted, wanted);
    if (canonicalize({ ...NOTHING, ...stored }) !== canonicalize(inForce))
      await rooms.store.commit(acceptWrites(inForce, "start", rooms.clock));
    if (changes.length > 0) {
      const { agents, roots, providers, emitters } = inForce;
      active.#current = { ...file, agents, roots, providers, receipts: { ...file.receipts, emitters } };
      active.frozen = true;
      await active.#ask(file, changes, rooms);
    }
    return active;
  }

  async #ask(
    file: Config,
    changes: readonly string[],
    { store, approvals, clock, log, isPaused, requiresDevice }: Rooms,
  ): Promise<void> {
    const wanted = grantsIn(file);
    const hash = `sha256:${sha256Hex(canonicalize(wanted))}`;
    if ((await store.setting(DENIED)) === hash) return;
    log.warn({ changes }, "an edit of config.json is frozen until a person allows it");
    const question = new PolicyQuestion(
      { file: "config.json", profileId: "config", hash, widening: changes },
      {
        nowMs: () => clock.wallMs(),
        isPaused,
        requiresDevice,
        accept: ({ person }) => acceptWrites(wanted, person, clock),
        refuse: () => [{ op: "put-setting", key: DENIED, value: hash }],
        accepted: () => {
          this.#current = file;
          this.frozen = false;
        },
      },
    );
    await approvals.open(question, question.card, []);
  }
}

function grantsIn({ agents, roots, providers, receipts: { emitters } }: Config): Grants {
  return { agents, roots, providers, emitters };
}

function withoutThoseTakenAway(accepted: Grants, wanted: Grants): Grants {
  return {
    ...accepted,
    roots: accepted.roots.filter((root) => wanted.roots.includes(root)),
    emitters: accepted.emitters.filter((emitter) => isAmong(emitter, wanted.emitters)),
  };
}

type Emitter = Grants["emitters"][number];

function isAmong({ uid, role }: Emitter, emitters: readonly Emitter[]): boolean {
  return emitters.some((other) => other.uid === uid && other.role === role);
}

function acceptWrites(grants: Grants, person: string, clock: Clock): Write[] {
  const body = { file: "config.json", hash: `sha256:${sha256Hex(canonicalize(grants))}`, person };
  return [
    { op: "put-setting", key: ACCEPTED, value: grants as unknown as Json },
    { op: "append", draft: { type: "policy-changed", sessionId: null, proposalKey: null, atMs: clock.wallMs(), body } },
  ];
}

/** One sentence for each change that a person has to allow. */
function describeChanges(from: Grants, to: Grants): string[] {
  const added = to.roots.filter((root) => !from.roots.includes(root)).map((root) => `roots: adds ${root}`);
  const enrolled = to.emitters
    .filter((emitter) => !isAmong(emitter, from.emitters))
    .map(({ uid, role }) => `receipts.emitters: user ${uid} may write any sandbox's chain, as ${role}`);
  return [...added, ...enrolled, ...changesIn("agents", from, to), ...changesIn("providers", from, to)];
}

function changesIn(key: "agents" | "providers", from: Grants, to: Grants): string[] {
  const names = [...new Set([...Object.keys(from[key]), ...Object.keys(to[key])])].sort();
  return names.flatMap((name) => {
    const [before, after] = [from[key], to[key]].map((all) => canonicalize(ownOrNull(all, name)));
    return before === after ? [] : [`${key}.${name}: ${before} → ${after}`];
  });
}

function ownOrNull(all: Grants["agents"] | Grants["providers"], name: string): Json {
  return (Object.hasOwn(all, name) ? all[name] : null) as Json;
}
