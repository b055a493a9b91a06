import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A file that somebody drops on an element; whether one is over it. */
export function useDroppedFile(element: RefObject<HTMLElement | null>, onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    const over = (event: DragEvent) => {
      // Or the browser would open it.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!target.contains(event.relatedTarget as Node | null)) setOver(false);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer?.files ?? [];
      if (file !== undefined) onFile(file);
    };
    target.addEventListener("dragover", over);
    target.addEventListener("dragleave", leave);
    target.addEventListener("drop", drop);
    return () => {
      target.removeEventListener("dragover", over);
      target.removeEventListener("dragleave", leave);
      target.removeEventListener("drop", drop);
    };
  }, [onFile]);
  return isOver;
}
