import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice } from "./notice.tsx";

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

/** A component that is loaded when it is first shown, or earlier with `fetch`. */
export function lazy<P extends object>(load: Load<P>): ComponentType<P> & { fetch(): Promise<void> } {
  let known: ComponentType<P> | undefined;
  const fetch = async () => {
    known ??= (await load()).default;
  };
  function Later(props: P): VNode | null {
    const [state, setState] = useState<"loading" | "loaded" | "failed">(known ? "loaded" : "loading");
    useEffect(() => {
      if (known === undefined)
        fetch().then(
          () => setState("loaded"),
          () => setState("failed"),
        );
    }, []);
    if (state === "failed") return <Notice kind="problem">This part couldn’t be loaded. Reload the page.</Notice>;
    const Part = known;
    return Part ? <Part {...props} /> : null;
  }
  return Object.assign(Later, { fetch });
}
