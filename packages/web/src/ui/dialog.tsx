import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
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
  const isThere = useRef(true);
  // While it is in the document: a key that comes before it is open would go to what lies below, and focus goes back from what is there.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      isThere.current = false;
      element?.close();
    };
  }, []);
  const close = () => {
    // What put it away knows that it did.
    if (isThere.current) onClose();
  };
  return (
    <dialog class="dialog" ref={dialog} aria-label={title} onClose={close}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
