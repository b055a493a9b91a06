/** Namespaces that a run enters before bwrap, each a path to an open namespace file. */
export interface Namespaces {
  readonly mount?: string;
  readonly net?: string;
  readonly user?: string;
}
