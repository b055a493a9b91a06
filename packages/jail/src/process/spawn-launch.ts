import { closeSync } from "node:fs";
import type { Launch } from "./launch.ts";
import { PseudoTerminal } from "./pseudo-terminal.ts";
import { type Child, spawnChild } from "./spawn-child.ts";

export interface Launched {
  readonly child: Child;
  /** Where it wants one. */
  readonly terminal: PseudoTerminal | undefined;
}

/** Starts a launch. What was opened for it is closed here, whether or not it could be started. */
export async function spawnLaunch({ jail, ...launch }: Launch, { input }: { input: boolean }): Promise<Launched> {
  const descriptors = jail?.descriptors ?? [];
  const wish = jail?.terminal;
  let terminal: PseudoTerminal | undefined;
  try {
    terminal = wish && new PseudoTerminal(wish, wish.owner);
    const child = await spawnChild({
      ...{ ...launch, descriptors, pipes: jail ? (jail.isSound ? 2 : 1) : 0, reports: jail?.reports ?? false, input },
      terminal: terminal && { pseudo: terminal, stderr: wish?.stderr ?? true },
    });
    return { child, terminal };
  } catch (cause) {
    terminal?.close();
    throw cause;
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}
