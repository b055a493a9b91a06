import type { Route } from "../../wire/index.ts";
import {
  type BodyTap,
  type Decoded,
  type FormTap,
  isolatedIn,
  type PathItem,
  pathFields,
  queryValue,
  rightsIn,
  strangeQuery,
  undecoded,
} from "../decode/index.ts";
import type { Digest, LostHash } from "../digest/index.ts";
import type { KnownFiles } from "./known-files.ts";

interface Upload {
  readonly route: Route;
  readonly form: FormTap | null;
  readonly body: BodyTap;
  readonly knownFiles: KnownFiles;
  readonly queryPath: string;
}

/** Decodes the files of a form, or the one file that is the body itself. */
export function decodeUpload({ route, form, body, knownFiles, queryPath }: Upload): Decoded {
  if (!form) {
    const fields = pathFields(queryValue(route.rawQuery, "path"));
    const item: PathItem = {
      actionType: knownFiles.actionType(queryPath),
      input: { ...fields, ...body.hash.field("content_hash") },
      bytes: body.hash.bytes,
    };
    const unhashed = unhashedIn([body.hash]);
    return { kind: "paths", items: [item], ...unhashed, ...isolatedIn(route), ...strangeIn(strangeQuery(route)) };
  }
  // Of its own files execd takes no path from the query.
  const isByMetadata = route.operation === "file.upload" && route.filesAt === "/files";
  const files = form.fault ?? form.files(isByMetadata ? "" : queryPath);
  if (typeof files === "string") {
    const decoded = undecoded(route, body, files);
    if (decoded.kind !== "undecoded") return decoded;
    // What was read of it before is told with it; the hash is of what came from there on.
    const input = {
      ...{ undecoded: files, ...form.rest.field("body_hash") },
      bytes: form.bytes,
      content_hashes: form.contents.map(({ hashed }) => ("lost" in hashed ? hashed.lost : hashed.hash)),
    };
    return { ...decoded, input };
  }
  const items = files.map(({ path, content, rights }) => ({
    actionType: knownFiles.actionType(path),
    input: { path, ...content.field("content_hash") },
    bytes: content.bytes,
    details: rightsIn(rights),
  }));
  const unhashed = unhashedIn(files.map(({ content }) => content));
  return { kind: "paths", items, ...unhashed, ...isolatedIn(route), ...strangeIn(strangeQuery(route) ?? form.strange) };
}

function unhashedIn(contents: readonly Digest[]): { readonly unhashed?: LostHash } {
  const lost = contents.map(({ hashed }) => ("lost" in hashed ? hashed.lost : undefined)).find((why) => why);
  return lost === undefined ? {} : { unhashed: lost };
}

function strangeIn(strange: string | undefined): { readonly strange?: string } {
  return strange === undefined ? {} : { strange: strange.slice(0, 200) };
}
