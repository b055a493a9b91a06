interface FilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<{ createWritable(): Promise<WritableStream> }>;
}

/** Past so many receipts it goes straight to the disk, where the browser can. */
const HELD_RECEIPTS = 50_000;

/**
 * As a download. The hub wants its token in a header, which a link can't send: so the page fetches it. Half a file is never kept, since
 * it would look like evidence.
 */
export async function saveFile(
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
  // The browser has it by then; kept longer it would stay in memory.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function putAway(cause: unknown): null {
  if (cause instanceof DOMException && cause.name === "AbortError") return null;
  throw cause;
}
