import { type ClassifyContext, type Effect, isInsideAny, normalize, WILD } from "../model/index.ts";
import { isAboveSecrets, isSecret, meaningOfReading, READ_OPEN, SECRET_NAMES } from "../paths/index.ts";
import type { Draft, DraftPart } from "../shell/index.ts";

/**
 * `find / -name id_rsa | xargs cat`: what is read is only known when it runs, but the words beside it say what that may be.
 * Such a read is judged by them. A jail would hold it too; a person should know.
 */
export function judgeFedReads(draft: Draft): void {
  const lists = [draft.loose, ...draft.parts.map((part) => part.effects)];
  if (!lists.some((effects) => effects.some(isOpenRead))) return;
  const worse = findWorse(draft);
  if (worse === undefined) return;
  for (const effects of lists) {
    for (const [index, effect] of effects.entries()) if (isOpenRead(effect)) effects[index] = worse(effect);
  }
}

function isOpenRead(effect: Effect): boolean {
  return effect.ruleId === READ_OPEN && effect.risk === "safe";
}

function findWorse({ parts, context }: Draft): ((effect: Effect) => Effect) | undefined {
  const paths = parts.flatMap((part) => namedPaths(part, context));
  const listed = parts.some((part) => part.effects.some((effect) => effect.ruleId === SECRET_NAMES));
  const secret = paths.find((path) => isSecret(path, context));
  if (secret !== undefined || listed) {
    const sentence = `Reads what other words name: ${secret?.replaceAll(WILD, "*") ?? "secrets"}`;
    return (effect) => ({ ...effect, kind: "credentials", risk: "dangerous", ruleId: "path.secret-fed", sentence });
  }
  const wide = paths.find(
    (path) =>
      !isInsideAny(path, context.roots) &&
      (isAboveSecrets(path, context) || meaningOfReading(path, context) === "private"),
  );
  if (wide === undefined) return undefined;
  const sentence = `Reads what is found in ${wide.replaceAll(WILD, "*")}`;
  return (effect) => ({ ...effect, risk: "needs-review", ruleId: "path.read-fed", sentence });
}

/** What a word would name as a path, quoted globs as they are meant. Words that leave names out name nothing. */
function namedPaths({ words, directory }: DraftPart, { home, cwd }: ClassifyContext): string[] {
  if (words.some((word) => word !== null && /^(-[a-zA-Z]*v|--invert-match|-not|!|--exclude.*|-prune)$/.test(word)))
    return [];
  return words.slice(1).flatMap((word) => {
    if (word === null || word === "" || /^-|[\s|;]/.test(word) || word.length > 4_096) return [];
    const text = word.replace(/[*?]/g, WILD);
    const full = /^~(\/|$)/.test(text) ? home + text.slice(1) : text;
    return [normalize(full.startsWith("/") ? full : `${directory ?? cwd}/${full}`)];
  });
}
