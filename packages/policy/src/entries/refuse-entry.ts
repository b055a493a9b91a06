import type { Classification } from "../model/index.ts";

/** Why nothing about a command can be allowed for more than once, whatever the entry. */
export function findRefusal({ opaque, effects }: Classification): string | undefined {
  if (opaque) return "the command can't be read to its end";
  const floor = effects.find((effect) => effect.floor);
  return floor && `only a person can allow this each time (${floor.sentence})`;
}
