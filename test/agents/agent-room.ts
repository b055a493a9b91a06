import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Place, type Running } from "../../packages/cli/test/countersign.ts";
import { agentsDir } from "./agents-dir.ts";
import { type ModelServer, startModelServer } from "./models/model-server.ts";
import type { ScriptedCall } from "./models/turn.ts";
import { type Answers, answerCards } from "./person.ts";

/** How an agent is started so that it needs no login, no network and no terminal. */
export interface AgentKind {
  readonly name: "claude-code" | "codex" | "gemini" | "opencode";
  readonly program: string;
  readonly args: (options: { readonly workspace: string }) => readonly string[];
  readonly env: (options: { readonly model: string; readonly userHome: string }) => Readonly<Record<string, string>>;
  /** Settings of the agent's own, by their path under the user's home. */
  readonly settings?: (options: {
    readonly model: string;
    readonly workspace: string;
  }) => Readonly<Record<string, string>>;
}

/** Long enough for a slow machine; an agent that hangs is a failure and not a CI that hangs. */
const AGENT_MS = 300_000;

/** What a real model would have read after each call. */
export interface AgentRun {
  readonly results: readonly string[];
  readonly strange: readonly string[];
  readonly output: string;
}

/** A user's home with one agent that is connected to a hub, and a model that does as it is told. */
export class AgentRoom {
  readonly place: Place;
  readonly userHome: string;
  readonly #kind: AgentKind;
  readonly #model: ModelServer;

  private constructor(
    kind: AgentKind,
    { place, model, userHome }: { place: Place; model: ModelServer; userHome: string },
  ) {
    this.#kind = kind;
    this.place = place;
    this.userHome = userHome;
    this.#model = model;
  }

  /** Skips the test where the agent isn't there. */
  static async open(t: TestContext, kind: AgentKind): Promise<AgentRoom | undefined> {
    const dir = agentsDir();
    if (!existsSync(join(dir, "node_modules", ".bin", kind.program))) {
      t.skip(`${kind.program} isn't installed; \`npm run test:agents\` installs it where the registry can be reached`);
      return undefined;
    }
    const place = new Place(t);
    // Not under /tmp: Codex puts no helpers of its own there.
    mkdirSync(join(dir, "homes"), { recursive: true });
    const userHome = mkdtempSync(join(dir, "homes", "user-"));
    const model = await startModelServer();
    t.after(async () => {
      await model.close();
      rmSync(userHome, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    });
    const room = new AgentRoom(kind, { place, model, userHome });
    room.#writeSettings();
    return room;
  }

  get workspace(): string {
    return this.place.workspace;
  }

  #writeSettings(): void {
    const files = this.#kind.settings?.({ model: this.#model.url, workspace: this.workspace }) ?? {};
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(this.userHome, path, ".."), { recursive: true });
      writeFileSync(join(this.userHome, path), text);
    }
  }

  /** `countersign install`, as its user would. */
  async install(): Promise<void> {
    const { code, stderr } = await this.place.start(["install", this.#kind.name], { HOME: this.userHome }).ended;
    assert.equal(code, 0, stderr);
  }

  /** What `countersign coverage` makes of the agent's own transcript: [tool, calls, those on record]. */
  async coverage(): Promise<readonly (readonly [string, number, number])[]> {
    const { stdout } = await this.place.start(["coverage", "--json"], { HOME: this.userHome }).ended;
    const { counts } = JSON.parse(stdout) as { counts: { tool: string; calls: number; recorded: number }[] };
    return counts.map(({ tool, calls, recorded }) => [tool, calls, recorded]);
  }

  /** In config, where people choose who runs an agent's commands. */
  configure(mode: "run" | "gate"): void {
    const path = join(this.place.home, "config.json");
    const config = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { agents?: object }) : {};
    const agents = { ...config.agents, [this.#kind.name]: { mode } };
    writeFileSync(path, JSON.stringify({ ...config, agents }), { mode: 0o600 });
  }

  serve(): Promise<Running> {
    return this.place.serve();
  }

  /** The model makes these calls, and a person answers what is asked meanwhile. */
  async run(calls: readonly ScriptedCall[], answers: Answers = []): Promise<AgentRun> {
    const { child, output } = this.#start(calls);
    const cards = answerCards(this.place, answers);
    try {
      await ended(child);
    } finally {
      await cards.stop();
      // Agents leave helpers of theirs behind.
      if (child.pid !== undefined) killGroup(child.pid);
    }
    return { results: this.#model.results(), strange: this.#model.strange(), output: output() };
  }

  /** How the agent is started, for whoever starts it in another way; the model then makes these calls. */
  started(calls: readonly ScriptedCall[]): { program: string; args: readonly string[]; env: Record<string, string> } {
    this.#model.script(calls);
    const { program, args, env } = this.#kind;
    const bin = join(agentsDir(), "node_modules", ".bin");
    return {
      program: join(bin, program),
      args: args({ workspace: this.workspace }),
      env: {
        HOME: this.userHome,
        PATH: `${bin}:${process.env.PATH ?? ""}`,
        TERM: "dumb",
        SHELL: "/bin/bash",
        ...env({ model: this.#model.url, userHome: this.userHome }),
      },
    };
  }

  #start(calls: readonly ScriptedCall[]): { child: ChildProcess; output: () => string } {
    const { program, args, env } = this.started(calls);
    const child = spawn(program, args, {
      cwd: this.workspace,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-20_000);
      });
    }
    return { child, output: () => output };
  }

  /** What a file of the workspace holds; undefined where there is none. */
  file(name: string): string | undefined {
    const path = join(this.workspace, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const late = setTimeout(() => child.pid !== undefined && killGroup(child.pid), AGENT_MS);
  // Not `close`: a helper that the agent left behind may hold its output.
  await once(child, "exit");
  clearTimeout(late);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause;
  }
}
