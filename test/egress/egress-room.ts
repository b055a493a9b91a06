import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { BIN, type Ended, Place, Running } from "../../packages/cli/test/countersign.ts";
import { Network } from "./network.ts";

type Cleaner = { after(fn: () => unknown): void };

const LONGEST_WAIT_MS = 60_000;

export interface SeenFlow {
  readonly dst_addr: string;
  readonly dst_port: number;
  readonly protocol: string;
  readonly bytes_out: number;
  readonly verdict: string;
  readonly started_at: string;
  readonly ended_at?: string;
  readonly part: string;
  readonly name?: string;
  readonly service?: string;
}

export interface OnRecord {
  /** In their order, and what each was a part of. */
  readonly flows: readonly (SeenFlow & {
    readonly correlation: string;
    readonly sandbox: string;
    readonly enforcement: string;
  })[];
  readonly gaps: readonly {
    readonly from: string;
    readonly to: string;
    readonly reason: string;
    readonly rules?: string;
  }[];
  readonly dropped: number;
}

/** A network, a recorder that knows this user as an observer, and observers in the network's host. */
export class EgressRoom {
  readonly network: Network;
  readonly place: Place;
  readonly #started: Running[] = [];
  recorder: Running | undefined;

  private constructor(t: Cleaner) {
    this.place = new Place(t);
    t.after(async () => {
      for (const running of this.#started) await running.stop("SIGKILL");
    });
    this.network = new Network(t);
  }

  static async make(t: Cleaner): Promise<EgressRoom> {
    const room = new EgressRoom(t);
    mkdirSync(join(room.place.home, "run"), { recursive: true, mode: 0o700 });
    const config = {
      receipts: {
        emitters: [
          { uid: 0, role: "egress" },
          { uid: 0, role: "relay" },
        ],
      },
    };
    writeFileSync(join(room.place.home, "config.json"), JSON.stringify(config), { mode: 0o600 });
    await room.record();
    return room;
  }

  async record(): Promise<void> {
    this.recorder = this.place.start(["recorder", "--json"]);
    await this.recorder.firstLine();
  }

  /** In the host's network, and ready. */
  async observe(...args: readonly string[]): Promise<Running> {
    const observer = this.inHost("execd", "egress", "--json", "--sweep", "1", ...args);
    await observer.firstLine();
    return observer;
  }

  inHost(...args: readonly string[]): Running {
    const [program, ...enter] = this.network.enter("host");
    const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, HOME: this.place.workspace, COUNTERSIGN_HOME: this.place.home };
    const running = new Running(
      spawn(program, [...enter, process.execPath, BIN, ...args], { cwd: this.place.workspace, env }),
    );
    this.#started.push(running);
    return running;
  }

  async order(...args: readonly string[]): Promise<Ended> {
    return await this.inHost("execd", "egress", ...args).ended;
  }

  /** Of one sandbox, as its chain has it. */
  onRecord(sandbox: string): OnRecord {
    const path = join(this.place.home, "countersign.db");
    if (!existsSync(path)) return { flows: [], gaps: [], dropped: 0 };
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = db.prepare("SELECT raw FROM receipt WHERE chain_id LIKE ? ORDER BY seq").all(`%:sandbox:${sandbox}`);
      return read(rows.map(({ raw }) => JSON.parse(String(raw)) as Raw));
    } finally {
      db.close();
    }
  }

  /** Resolves once it holds of what is on record. */
  async until(sandbox: string, holds: (now: OnRecord) => boolean): Promise<OnRecord> {
    for (const untilMs = performance.now() + LONGEST_WAIT_MS; ; await sleep(100)) {
      const now = this.onRecord(sandbox);
      if (holds(now)) return now;
      if (performance.now() > untilMs) assert.fail(`waited for too long: ${JSON.stringify(now).slice(0, 4_000)}`);
    }
  }

  /** What the kernel has counted in all rules of ours that there are. */
  counted(prefix = "flows_"): number {
    const text = this.network.run("host", "nft -j list counters table inet countersign_egress");
    const { nftables } = JSON.parse(text) as { nftables: { counter?: { name: string; packets: number } }[] };
    return nftables.reduce((sum, { counter }) => sum + (counter?.name.startsWith(prefix) ? counter.packets : 0), 0);
  }
}

interface Raw {
  readonly issuer: {
    readonly runtime: { readonly binding?: Binding; readonly enforcement?: string; readonly attestation?: string };
  };
  readonly credentialSubject: {
    readonly correlation_id?: string;
    readonly action: { readonly type: string; readonly emitter_metadata?: { readonly drop_count?: number } };
  };
}

interface Binding {
  readonly sandbox_id: string;
  readonly flow?: SeenFlow;
  readonly gap?: OnRecord["gaps"][number];
}

function read(receipts: readonly Raw[]): OnRecord {
  const flows = receipts.flatMap(({ issuer: { runtime }, credentialSubject }) => {
    const { binding, enforcement = "" } = runtime;
    if (!binding?.flow) return [];
    assert.equal(runtime.attestation, "host-observed");
    return {
      ...binding.flow,
      correlation: credentialSubject.correlation_id ?? "",
      sandbox: binding.sandbox_id,
      enforcement,
    };
  });
  const drops = receipts.map(({ credentialSubject: { action } }) => action.emitter_metadata?.drop_count ?? 0);
  const gaps = receipts.flatMap(({ issuer: { runtime } }) => runtime.binding?.gap ?? []);
  return { flows, gaps, dropped: drops.reduce((sum, each) => sum + each, 0) };
}

/** One text for each, without what is different each time. */
export function brief({ dst_addr, dst_port, protocol, verdict, part, name }: SeenFlow): string {
  return `${part} ${protocol} ${dst_addr} ${dst_port} ${verdict}${name === undefined ? "" : ` ${name}`}`;
}
