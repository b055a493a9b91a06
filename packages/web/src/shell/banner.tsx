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
          The hub is unreachable. What you see may be out of date, and you can’t answer until it is back.{" "}
          <Button kind="plain" onClick={() => hub.retry()}>
            Try now
          </Button>
        </Notice>
      );
    case "refused":
      return (
        <Notice kind="problem">
          The hub rejects this device: it was revoked.{" "}
          <Button onClick={() => signOut("This device was revoked. Pair it again to continue.")}>Sign out</Button>
        </Notice>
      );
    case "replaced":
      return (
        <Notice>
          Another window has taken over the connection. <Button onClick={() => hub.retry()}>Continue here</Button>
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
            <Notice>Paused: new commands are denied, and waiting ones can’t be allowed.</Notice>
          )}
          {isOutdated.value && (
            <Notice>
              The hub was updated, and this page is out of date.{" "}
              <Button onClick={() => location.reload()}>Load the new page</Button>
            </Notice>
          )}
        </>
      );
  }
}
