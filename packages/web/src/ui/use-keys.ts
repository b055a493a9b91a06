import { useLayoutEffect, useRef } from "preact/hooks";

/** By `KeyboardEvent.key`. */
export type Keys = Readonly<Record<string, (() => void) | undefined>>;

/**
 * Keyboard shortcuts of the whole page. Ignored in fields and dialogs (Escape leaves a field), and for keys held down. `first`: before the
 * shortcuts of surrounding components.
 */
export function useKeys(keys: Keys, { first = false } = {}): void {
  const now = useRef(keys);
  now.current = keys;
  // In a layout effect: until the next frame a key would go to a component that is gone.
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

/** A dialog takes all keys, even after it has lost the focus: Escape must not close what is below it too. */
function takesKey(target: EventTarget | null, key: string): boolean {
  if (document.querySelector("dialog:modal") !== null) return true;
  if (!(target instanceof Element)) return false;
  // A closed dialog may still have the focus for a moment.
  return target.closest(key === "Escape" ? "dialog[open]" : "input, textarea, select, dialog[open]") !== null;
}
