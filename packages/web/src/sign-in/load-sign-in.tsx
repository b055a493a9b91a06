import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button, Empty } from "../ui/index.ts";
import type { SignInProps } from "./sign-in.tsx";

/** Loads the sign-in page when it is needed: a paired browser rarely sees it. */
export function LoadSignIn(props: SignInProps): VNode | null {
  const [loaded, setLoaded] = useState<{ View: ComponentType<SignInProps> } | "failed">();
  useEffect(() => {
    import("./sign-in.tsx").then(
      ({ default: View }) => setLoaded({ View }),
      () => setLoaded("failed"),
    );
  }, []);
  if (loaded === undefined) return null;
  if (loaded !== "failed") return <loaded.View {...props} />;
  return (
    <Empty title="Part of the page couldn’t be loaded.">
      <Button onClick={() => location.reload()}>Load it again</Button>
    </Empty>
  );
}
