declare module "*.css" {}

/** Where a worker's script is, once it is built. */
declare module "*?worker&url" {
  const url: string;
  export default url;
}
