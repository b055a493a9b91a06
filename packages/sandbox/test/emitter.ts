import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("./emitter-child.ts", import.meta.url));

/** Whole lines that a child has told. */
export class Emitter {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  #told = "";

  /** `become`: what starts it as another user. */
  constructor(order: object, become: readonly string[] = []) {
    const [program = process.execPath, ...args] = [...become, process.execPath, CHILD, JSON.stringify(order)];
    this.child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], cwd: "/" });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#told += text;
    });
    this.ended = once(this.child, "close");
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  /** The highest number after `before` or `after`; -1 where there's none. */
  last(word: "before" | "after"): number {
    return Number(
      this.#told
        .match(new RegExp(`^${word} (\\d+)$`, "gm"))
        ?.at(-1)
        ?.split(" ")[1] ?? -1,
    );
  }

  get isDrained(): boolean {
    return /^drained .*\n/m.test(this.#told);
  }

  get told(): string {
    return this.#told;
  }
}
