import type { Call } from "../record/call.ts";
import { undecoded } from "./decode-call.ts";
import { isolatedIn, rightsIn } from "./decode-paths.ts";
import type { Decoded, PathItem } from "./decoded.ts";
import { pathFields, queryValue } from "./path-text.ts";
import { strangeQuery } from "./strange-query.ts";

/** What is written: the pairs of a form, or one file that is the body itself. */
export function decodeUpload(call: Pick<Call, "route" | "form" | "body" | "knownFiles" | "queryPath">): Decoded {
  const { route, form, body, knownFiles, queryPath } = call;
  if (!form) {
    const fields = pathFields(queryValue(route.rawQuery, "path"));
    const item: PathItem = {
      actionType: knownFiles.actionType(queryPath),
      input: { ...fields, content_hash: body.hash.text() },
      bytes: body.hash.bytes,
    };
    return { kind: "paths", items: [item], ...isolatedIn(route), ...strangeIn(strangeQuery(route)) };
  }
  // Of its own files execd takes no path from the query.
  const isByMetadata = route.operation === "file.upload" && route.filesAt === "/files";
  const files = form.fault ?? form.files(isByMetadata ? "" : queryPath);
  if (typeof files === "string") {
    const decoded = undecoded(route, body, files);
    if (decoded.kind !== "undecoded") return decoded;
    // What was read of it before is told with it; the hash is of what came from there on.
    const input = {
      ...decoded.input,
      body_hash: form.rest.text(),
      bytes: form.bytes,
      content_hashes: form.contentHashes,
    };
    return { ...decoded, input };
  }
  const items = files.map(({ path, contentHash, bytes, rights }) => ({
    actionType: knownFiles.actionType(path),
    input: { path, content_hash: contentHash },
    bytes,
    details: rightsIn(rights),
  }));
  return { kind: "paths", items, ...isolatedIn(route), ...strangeIn(strangeQuery(route) ?? form.strange) };
}

function strangeIn(strange: string | undefined): { readonly strange?: string } {
  return strange === undefined ? {} : { strange: strange.slice(0, 200) };
}
