import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import "./button.css";
import "./hold-button.css";

const HOLD_MS = 1_000;

/** Does it once it has been held down for a second, by finger, mouse, Enter or space: a slip does nothing. */
export function HoldButton({
  onHeld,
  disabled = false,
  isNext = false,
  children,
}: {
  onHeld(): void;
  disabled?: boolean;
  /** It has the focus as soon as it is there; a key that is still down doesn't hold it. */
  isNext?: boolean;
  children: ComponentChildren;
}): VNode {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [isHeld, setHeld] = useState(false);
  const release = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    setHeld(false);
  };
  const button = useRef<HTMLButtonElement>(null);
  // At once, not after the next frame: what is gone or dead by then must not be done.
  useLayoutEffect(() => {
    if (isNext) button.current?.focus();
    return release;
  }, []);
  useLayoutEffect(() => {
    if (disabled) release();
  }, [disabled]);
  const press = () => {
    if (disabled || timer.current !== undefined) return;
    setHeld(true);
    timer.current = setTimeout(() => {
      release();
      onHeld();
    }, HOLD_MS);
  };
  const isKey = ({ key }: KeyboardEvent) => key === "Enter" || key === " ";
  return (
    <button
      type="button"
      ref={button}
      class={`button hold ${isHeld ? "held" : ""}`}
      aria-disabled={disabled}
      onPointerDown={(event) => {
        if (event.button === 0) press();
      }}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (!isKey(event)) return;
        event.preventDefault();
        if (!event.repeat) press();
      }}
      onKeyUp={(event) => {
        if (isKey(event)) release();
      }}
      onBlur={release}
    >
      {children}
    </button>
  );
}
