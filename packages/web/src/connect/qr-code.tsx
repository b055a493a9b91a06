import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { encode } from "uqr";

/** ISO/IEC 18004, 6.3.8: readers need four light modules around it. */
const QUIET = 4;

/** Dark on light in either appearance: some readers know no other. */
export function QrCode({ text, label }: { text: string; label: string }): VNode {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect class="qr-light" width={size} height={size} />
      <path class="qr-dark" d={path} />
    </svg>
  );
}

function draw(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: "M", border: QUIET });
  const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { size, path: modules.join("") };
}
