import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Holds the hub's record against what this browser remembers. What that takes isn't in the first script, and comes when nothing else is to be done. */
export function RecordWatch(): VNode | null {
  const [Alarm, setAlarm] = useState<ComponentType>();
  useEffect(() => {
    const load = () => import("../receipts/record-alarm.tsx").then((module) => setAlarm(() => module.default));
    const timer = setTimeout(load, 1_000);
    return () => clearTimeout(timer);
  }, []);
  return Alarm === undefined ? null : <Alarm />;
}
