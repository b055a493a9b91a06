import type { createIsolated } from "./request-types.ts";

type Asked = ReturnType<(typeof createIsolated)["zero"]>;

/** What is longer is shown to nobody. */
export const LONGEST_MADE = 8_192;

/**
 * What an isolated session is made with: with `binds` a path in it is another one's, with an overlay what is written is lost, with another user a
 * command does other things. So it stands on the cards of all that is done in it. Empty where nothing was said.
 */
export function isolatedWords(asked: Asked): string {
  const { workspace, share_net, env_passthrough, extra_writable, binds, uid, gid, uid_mode, profile } = asked;
  const keys = env_passthrough.keys ?? [];
  const isPassed = env_passthrough.mode !== "" || keys.length > 0;
  return [
    ...(workspace.mode === "" ? [] : [`mode ${word(workspace.mode)}`]),
    ...(profile === "" ? [] : [`profile ${word(profile)}`]),
    // A stock execd shares its network unless it is told not to.
    ...(share_net === undefined ? [] : [share_net ? "share_net" : "share_net false"]),
    ...(isPassed ? [["env", word(env_passthrough.mode), ...keys.map(word)].join(" ")] : []),
    ...(binds ?? []).map(
      ({ source, dest, readonly }) =>
        `bind ${word(source)}${dest === "" ? "" : ` at ${word(dest)}`}${readonly ? " readonly" : ""}`,
    ),
    ...(extra_writable ?? []).map((path) => `writable ${word(path)}`),
    ...(uid === undefined ? [] : [`uid ${uid}`]),
    ...(gid === undefined ? [] : [`gid ${gid}`]),
    ...(uid_mode === "" ? [] : [`uid_mode ${word(uid_mode)}`]),
  ].join("; ");
}

/** What could be taken for more than one word, or for another, stands as JSON. */
function word(text: string): string {
  return /^[A-Za-z0-9_.,:@%+/~-]+$/.test(text) ? text : JSON.stringify(text);
}
