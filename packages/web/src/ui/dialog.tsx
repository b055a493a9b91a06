import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "./dialog.css";

/** Over the page until it is answered or put away; Escape puts it away, and focus goes back where it was. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose(): void;
  children: ComponentChildren;
}): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog class="dialog" ref={dialog} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
