import { type Clock, type Log, sha256Hex } from "@countersign/core/base";
import type { Config } from "@countersign/core/config";
import { canonicalize, type Json } from "@countersign/receipts";
import type { Store, Write } from "@countersign/store";
import { REACHES, type Reach } from "@countersign/vocabulary";
import type { ActiveOrganisation } from "./active-organisation.ts";
import type { Pause } from "./pause.ts";
import { type HeldChange, type PolicyChange, PolicyQuestion, policyDiff } from "./policy-question.ts";
import type { Questions } from "./question.ts";

/**
 * The part of `config.json` that decides what an agent may do, whose word about sandboxes goes on record, and who is sent what agents are about
 * to do: a channel takes data out, and has the hub ask an address.
 */
type Grants = Pick<Config, "agents" | "roots" | "providers"> &
  Pick<Config["receipts"], "emitters"> &
  Pick<Config["notify"], "channels"> & { readonly pushReach: Reach };

const ACCEPTED = "config.accepted";
const DENIED = "config.denied";
const NOTHING: Grants = { agents: {}, roots: [], providers: {}, emitters: [], channels: {}, pushReach: "public" };

/**
 * The configuration in force. Which profile, workspace and roots an agent has is policy too, and so is where its model is asked, and who may write
 * a sandbox's chain, and where approvals are told: after the very first start a change there waits for a person, as an edit of a profile does.
 * Taking a root, an emitter or a channel away applies at once.
 */
export class ActiveConfig {
  readonly #file: Config;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #questions: Pick<Questions, "open">;
  readonly #pause: Pick<Pause, "isPaused">;
  readonly #organisation: Pick<ActiveOrganisation, "requiresDevice">;
  #current: Config;
  /** Where the file asks for more than a person has allowed. */
  frozen: HeldChange | undefined;

  /** In force as the file says, until `load` has compared it with what was accepted. */
  constructor(
    file: Config,
    options: {
      readonly store: Store;
      readonly clock: Clock;
      readonly log: Log;
      readonly questions: Pick<Questions, "open">;
      readonly pause: Pick<Pause, "isPaused">;
      /** May take only a device's word for what widens. */
      readonly organisation: Pick<ActiveOrganisation, "requiresDevice">;
    },
  ) {
    this.#file = file;
    this.#current = file;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#questions = options.questions;
    this.#pause = options.pause;
    this.#organisation = options.organisation;
  }

  get current(): Config {
    return this.#current;
  }

  async load({ firstStart }: { readonly firstStart: boolean }): Promise<void> {
    const wanted = grantsIn(this.#file);
    const stored = (await this.#store.setting(ACCEPTED)) as Partial<Grants> | undefined;
    // What was accepted before emitters or providers were part of it names none.
    const accepted = stored === undefined && firstStart ? wanted : { ...NOTHING, ...stored };
    const changes = describeChanges(accepted, wanted);
    const inForce = changes.length === 0 ? wanted : withoutThoseTakenAway(accepted, wanted);
    if (canonicalize({ ...NOTHING, ...stored }) !== canonicalize(inForce))
      await this.#store.commit(acceptWrites(inForce, "start", this.#clock));
    if (changes.length === 0) return;
    this.#current = withGrants(this.#file, inForce);
    const hash = `sha256:${sha256Hex(canonicalize(wanted))}`;
    const edit = { file: "config.json", profileId: "config", hash, widening: changes };
    this.frozen = await this.#ask({ ...edit, diff: policyDiff(inForce, wanted) });
  }

  async #ask(edit: PolicyChange): Promise<HeldChange> {
    const wanted = grantsIn(this.#file);
    if ((await this.#store.setting(DENIED)) === edit.hash) return edit;
    this.#log.warn(
      { changes: edit.widening.map(withoutPaths) },
      "an edit of config.json is frozen until a person allows it",
    );
    const question = new PolicyQuestion(edit, {
      clock: this.#clock,
      pause: this.#pause,
      requiresDevice: () => this.#organisation.requiresDevice,
      accept: ({ person }) => acceptWrites(wanted, person, this.#clock),
      refuse: () => [{ op: "put-setting", key: DENIED, value: edit.hash }],
      accepted: () => {
        this.#current = this.#file;
        this.frozen = undefined;
      },
    });
    await this.#questions.open(question, question.card, []);
    return { ...edit, approvalId: question.approvalId };
  }
}

function grantsIn({ agents, roots, providers, receipts: { emitters }, notify }: Config): Grants {
  return { agents, roots, providers, emitters, channels: notify.channels, pushReach: notify.push.reach };
}

function withGrants(file: Config, { agents, roots, providers, emitters, channels, pushReach }: Grants): Config {
  const notify = { ...file.notify, channels, push: { ...file.notify.push, reach: pushReach } };
  return { ...file, agents, roots, providers, receipts: { ...file.receipts, emitters }, notify };
}

/** In an address the path may be a secret; whoever decides is shown it, the log isn't. */
function withoutPaths(change: string): string {
  return change.replaceAll(/(https?:\/\/[^/\s"]+)\/[^\s"]*/g, "$1/…");
}

function withoutThoseTakenAway(accepted: Grants, wanted: Grants): Grants {
  return {
    ...accepted,
    roots: accepted.roots.filter((root) => wanted.roots.includes(root)),
    emitters: accepted.emitters.filter((emitter) => isAmong(emitter, wanted.emitters)),
    channels: Object.fromEntries(
      Object.entries(accepted.channels).filter(([name]) => Object.hasOwn(wanted.channels, name)),
    ),
    pushReach: reachesFarther(wanted.pushReach, accepted.pushReach) ? accepted.pushReach : wanted.pushReach,
  };
}

function reachesFarther(one: Reach, other: Reach): boolean {
  return REACHES.indexOf(one) > REACHES.indexOf(other);
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
  const told = changesIn("channels", from, to).filter(({ after }) => after !== "null");
  const farther = reachesFarther(to.pushReach, from.pushReach);
  return [
    ...added,
    ...enrolled,
    ...[...changesIn("agents", from, to), ...changesIn("providers", from, to)].map(sentenceOf),
    ...told.map((change) => `notify.${sentenceOf(change)}`),
    ...(farther ? [`notify.push.reach: ${from.pushReach} → ${to.pushReach}`] : []),
  ];
}

type Named = "agents" | "providers" | "channels";
interface Change {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

function changesIn(key: Named, from: Grants, to: Grants): Change[] {
  const names = [...new Set([...Object.keys(from[key]), ...Object.keys(to[key])])].sort();
  return names.flatMap((name) => {
    const [before = "", after = ""] = [from[key], to[key]].map((all) => canonicalize(ownOrNull(all, name)));
    return before === after ? [] : [{ what: `${key}.${name}`, before, after }];
  });
}

function sentenceOf({ what, before, after }: Change): string {
  return `${what}: ${before} → ${after}`;
}

function ownOrNull(all: Grants[Named], name: string): Json {
  return (Object.hasOwn(all, name) ? all[name] : null) as Json;
}
