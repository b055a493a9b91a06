import { corrupt } from "./corrupt.ts";
import { makeScript } from "./make-script.ts";
import type { Random } from "./random.ts";

/** Shell text of every shape, some of it damaged. */
export function makeCommands(random: Random, count: number): string[] {
  return Array.from({ length: count }, () => {
    const script = makeScript(random, 2);
    return random.chance(0.15) ? corrupt(random, script) : script;
  });
}
