import type { VNode } from "preact";
import { VisibleText } from "../ui/index.ts";

/** `DENIED by phone`. */
export function OutcomeLabel({ word, by }: { word: string; by: string | undefined }): VNode {
  return (
    <>
      {word}
      {by !== undefined && (
        <>
          {" "}
          by <VisibleText text={by} />
        </>
      )}
    </>
  );
}
