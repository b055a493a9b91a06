import { useLayoutEffect, useRef } from "preact/hooks";

/** By `KeyboardEvent.key`. */
export type Keys = Readonly<Record<string, (() => void) | undefined>>;

/**
 * Keys of the whole page. Not while something is typed, chosen or asked in a dialog (but Escape leaves a field), and never one that is
 * held down. `first`: before those of what stands around it.
 */
export function useKeys(keys: Keys, { first = false } = {}): void {
  const now = useRef(keys);
  now.current = keys;
  // With the document, not after the next frame: until then a key would go to what is gone already.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, repeat, ctrlKey, metaKey, altKey, target, defaultPrevented } = event;
      if (defaultPrevented || ctrlKey || metaKey || altKey || takesKey(target, key)) return;
      const run = Object.hasOwn(now.current, key) ? now.current[key] : undefined;
      if (run === undefined) return;
      event.preventDefault();
      if (!repeat || key.startsWith("Arrow")) run();
    };
    document.addEventListener("keydown", press, { capture: first });
    return () => document.removeEventListener("keydown", press, { capture: first });
  }, []);
}

/** What is asked in a dialog takes all keys, also where the focus has left it: Escape must not close what lies below, too. */
function takesKey(target: EventTarget | null, key: string): boolean {
  if (document.querySelector("dialog:modal") !== null) return true;
  if (!(target instanceof Element)) return false;
  // One that was closed may still have the focus for a moment.
  return target.closest(key === "Escape" ? "dialog[open]" : "input, textarea, select, dialog[open]") !== null;
}
