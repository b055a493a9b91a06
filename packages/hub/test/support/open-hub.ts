import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import {
  DEFAULT_LIMITS,
  type Identity,
  type Limits,
  LOCAL_AGENT,
  silentLog,
  systemClock,
} from "@countersign/core/base";
import { type Config, type Home, prepareHome, readConfig } from "@countersign/core/config";
import { type EngineProbe, probeEngine } from "@countersign/jail";
import type { ExecApprovalRequestPayload, Outcome } from "@countersign/protocol/proposals";
import { openSqliteStore, type Store } from "@countersign/store";
import { openHub as composeHub } from "../../src/hub/compose.ts";
import type { Hub } from "../../src/hub/hub.ts";
import { FakeClock } from "./fake-clock.ts";

export const ALICE: Identity = {
  id: "alice-token",
  role: "approver",
  name: "alice",
  sameUser: false,
  unattended: false,
};

export interface TestHub {
  hub: Hub;
  store: Store;
  readonly home: Home;
  readonly workspace: string;
  readonly clock: FakeClock;
  /** Proposes as the local agent, in the workspace. */
  propose(command: string, more?: object): Promise<Outcome>;
  /** The next approval that waits, listed as an approver does. */
  asked(): Promise<ExecApprovalRequestPayload>;
  writeProfile(block: object, profileId?: string): void;
  /** Stops the hub as a crash would, leaving everything as it is in the store, and opens it again. */
  crashAndReopen(): Promise<void>;
  restart(): Promise<void>;
  reopen(): Promise<void>;
  /** With another config.json. */
  reopenWith(config: object): Promise<void>;
}

export interface TestHubOptions {
  readonly profile?: object;
  readonly config?: object;
  readonly limits?: Partial<Limits>;
  /** Jails the runs as `serve` does; where that can't be, the hub says why. */
  readonly jailed?: boolean;
}

/** A whole hub on a real store, files and processes; only the clock and the person are the test's. */
export async function openHub(t: TestContext, options: TestHubOptions = {}): Promise<TestHub> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-hub-")));
  const home = prepareHome(join(scratch, "home"));
  const workspace = join(scratch, "workspace");
  mkdirSync(workspace);
  if (options.config) writeFileSync(home.config, JSON.stringify(options.config));
  let config: Config = readConfig(home.config);
  const clock = new FakeClock();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const writeProfile = (block: object, profileId = "default") => {
    mkdirSync(join(home.profiles, profileId), { recursive: true });
    writeFileSync(join(home.profiles, profileId, "config.json"), JSON.stringify({ execApproval: block }));
  };
  if (options.profile) writeProfile(options.profile);

  let jail: EngineProbe | undefined;
  const open = async () => {
    test.store = await openSqliteStore(home.database);
    if (options.jailed) jail ??= await probed(home, workspace, config);
    const facts = { home, config, limits, serveCwd: workspace, log: silentLog, clock, ...(jail ? { jail } : {}) };
    test.hub = await composeHub({ ...facts, store: test.store });
  };
  const test: TestHub = {
    home,
    workspace,
    clock,
    hub: undefined as unknown as Hub,
    store: undefined as unknown as Store,
    propose: (command, more) => {
      const outcome = test.hub.proposals.propose({ command, cwd: workspace, ...more }, LOCAL_AGENT);
      // One that is still open when the test ends is left to a start that never comes.
      outcome.catch(() => undefined);
      return outcome;
    },
    asked: () => nextApproval(test),
    writeProfile,
    async crashAndReopen() {
      await test.store.close();
      await open();
    },
    async restart() {
      await test.hub.close();
      await test.store.close();
      await open();
    },
    reopen: open,
    async reopenWith(next) {
      writeFileSync(home.config, JSON.stringify(next));
      config = readConfig(home.config);
      await open();
    },
  };
  await open();
  t.after(async () => {
    await test.hub.close().catch(() => undefined);
    jail?.engine?.close();
    await test.store.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  return test;
}

async function probed(home: Home, workspace: string, { tools }: Config): Promise<EngineProbe> {
  const facts = { home, shell: "/bin/bash", roots: [workspace], limits: tools.limits };
  return await probeEngine({ ...facts, clock: systemClock, log: silentLog });
}

async function nextApproval({ hub }: TestHub): Promise<ExecApprovalRequestPayload> {
  for (let turns = 0; turns < 10_000; turns += 1) {
    const [first] = await hub.approvals.list({ limit: 1 });
    if (first) return first;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("nothing was asked");
}
