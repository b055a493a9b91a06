interface ImportMeta {
  /** Of vite: the modules that match, each loaded when it is asked for. */
  glob<T>(patterns: readonly string[]): Record<string, () => Promise<T>>;
}
declare module "*.css" {}

/** Where a worker's script is, once it is built. */
declare module "*?worker&url" {
  const url: string;
  export default url;
}
