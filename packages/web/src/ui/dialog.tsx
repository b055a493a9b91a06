import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import "./dialog.css";

/** A modal dialog. Escape closes it, and the focus returns to where it was. */
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
  // In a layout effect: a key press before the dialog is open would go to the page below, and the focus must return from an element that still
  // exists.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      isThere.current = false;
      element?.close();
    };
  }, []);
  const close = () => {
    // The caller that removed the dialog needs no callback.
    if (isThere.current) onClose();
  };
  return (
    <dialog class="dialog" ref={dialog} aria-label={title} onClose={close}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
