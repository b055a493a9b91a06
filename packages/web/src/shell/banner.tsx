import type { VNode } from "preact";
import { isOutdated, useHub } from "../hub/index.ts";
import type { ViewProps } from "../navigation/index.ts";
import { Button, Notice, VisibleText } from "../ui/index.ts";

/** Why the page may be out of date: no connection, or a pause. Everything below stays, including drafts. */
export function Banner({ signOut }: ViewProps): VNode {
  const hub = useHub();
  switch (hub.state.value) {
    case "away":
      return (
        <Notice kind="problem">
          The hub is out of reach. What you see may be old; nothing can be answered until it is back.{" "}
          <Button kind="plain" onClick={() => hub.retry()}>
            Try now
          </Button>
        </Notice>
      );
    case "refused":
      return (
        <Notice kind="problem">
          The hub no longer takes this device: it was revoked.{" "}
          <Button onClick={() => signOut("This device was revoked. Pair it again to go on.")}>Sign out</Button>
        </Notice>
      );
    case "replaced":
      return (
        <Notice>
          Another window took this one’s place. <Button onClick={() => hub.retry()}>Go on here</Button>
        </Notice>
      );
    default:
      return (
        <>
          {hub.hubState.value?.problem !== undefined && (
            <Notice kind="problem">
              <VisibleText text={hub.hubState.value.problem} />
            </Notice>
          )}
          {hub.info.value?.paused && (
            <Notice>Paused: everything new is denied, and nothing that waits can be allowed.</Notice>
          )}
          {isOutdated.value && (
            <Notice>
              The hub was updated, and this page is from before.{" "}
              <Button onClick={() => location.reload()}>Load the new one</Button>
            </Notice>
          )}
        </>
      );
  }
}
