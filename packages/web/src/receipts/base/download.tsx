import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ApiError, useHub } from "../../hub/index.ts";
import { Button, Dialog, Notice } from "../../ui/index.ts";
import { counted } from "./format.ts";

type Format = "jsonl" | "bundle";

/** Downloads the record as a file that can be verified anywhere. */
export function Download({ receipts, chain }: { receipts: number | undefined; chain?: string }): VNode {
  const hub = useHub();
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const save = async (format: Format) => {
    setAsking(false);
    setProblem(undefined);
    try {
      const name = `receipts-${new Date().toISOString().slice(0, 10)}${format === "jsonl" ? ".jsonl" : ".json"}`;
      const open = () => hub.fetch("GET /api/v1/receipts/export", { query: { format, chain } });
      await saveFile(name, open, { receipts: receipts ?? 0 });
    } catch (cause) {
      if (!(cause instanceof ApiError || cause instanceof TypeError)) throw cause;
      setProblem(cause instanceof ApiError ? cause.message : "The download was interrupted. Nothing was saved.");
    }
  };
  if (chain !== undefined)
    return (
      <>
        <Button onClick={() => save("bundle")}>Download bundle</Button>
        {problem && <Notice kind="problem">{problem}</Notice>}
      </>
    );
  return (
    <>
      <Button onClick={() => setAsking(true)}>Download…</Button>
      {problem && <Notice kind="problem">{problem}</Notice>}
      {isAsking && (
        <Dialog title="Download the record" onClose={() => setAsking(false)}>
          <div class="download">
            {receipts !== undefined && <p>{counted(receipts, "receipt")}, byte for byte as they were signed.</p>}
            <div class="download-choice">
              <Button kind="main" onClick={() => save("bundle")}>
                Bundle
              </Button>
              <p class="quiet small">One file with the receipts, the checkpoints and the tree.</p>
              <Button onClick={() => save("jsonl")}>Lines</Button>
              <p class="quiet small">A receipt a line, for a record of any length.</p>
            </div>
            <p class="quiet small">
              To verify it on another machine: <code>countersign receipts verify FILE</code>, or drop it here.
            </p>
          </div>
        </Dialog>
      )}
    </>
  );
}

interface FilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<{ createWritable(): Promise<WritableStream> }>;
}

/** Above this many receipts the file is streamed to disk, if the browser can. */
const HELD_RECEIPTS = 50_000;

/**
 * Saves a response as a file. The page fetches it, because a link can't send the hub's token in a header. A partial file is never saved: it
 * would look like evidence.
 */
async function saveFile(
  name: string,
  open: () => Promise<Response>,
  { receipts }: { readonly receipts: number },
): Promise<void> {
  const { showSaveFilePicker: pick } = globalThis as FilePicker;
  if (receipts > HELD_RECEIPTS && pick !== undefined) {
    const file = await pick.call(globalThis, { suggestedName: name }).catch(putAway);
    if (file === null) return;
    await (await open()).body?.pipeTo(await file.createWritable());
    return;
  }
  const address = URL.createObjectURL(await (await open()).blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has read it by then; frees the memory.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function putAway(cause: unknown): null {
  if (cause instanceof DOMException && cause.name === "AbortError") return null;
  throw cause;
}
