declare module "*.css" {}

/** The address of a worker's built script. */
declare module "*?worker&url" {
  const url: string;
  export default url;
}
