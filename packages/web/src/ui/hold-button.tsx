import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import "./button.css";
import "./hold-button.css";

const HOLD_MS = 1_000;

/** A button that must be held for a second by finger, mouse, Enter or space, so that a slip does nothing. */
export function HoldButton({
  onHeld,
  disabled = false,
  isNext = false,
  children,
}: {
  onHeld(): void;
  disabled?: boolean;
  /** Takes the focus when it appears. A key that is still down doesn't count as holding it. */
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
  // In a layout effect: a button that is gone or disabled must not fire.
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
