/** Names of this machine as the host of an address. */
export const LOOPBACK = "^(localhost|127(\\.\\d+){3}|0\\.0\\.0\\.0|\\[::1\\]|host\\.docker\\.internal|.*\\.localhost)$";

/** A word that names this machine, with or without a scheme. */
export const THIS_MACHINE =
  "^(?:[a-z]+://)?(?:[^/@\\s]*@)?(localhost|127\\.\\d+\\.\\d+\\.\\d+|0\\.0\\.0\\.0|\\[::1\\]|host\\.docker\\.internal)([:/?]|$)|^:\\d";

/** Forges and registries that everybody gets code from. Anyone can publish there, but using them is ordinary. */
export const EVERYBODYS_HOSTS =
  "^(.*\\.)?(github\\.com|githubusercontent\\.com|gitlab\\.com|bitbucket\\.org|codeberg\\.org|sr\\.ht|pypi\\.org|pythonhosted\\.org|" +
  "pytorch\\.org|npmjs\\.org|npmjs\\.com|yarnpkg\\.com|jsr\\.io|crates\\.io|rubygems\\.org|golang\\.org|maven\\.org|packagist\\.org|" +
  "k8s\\.io|debian\\.org|ubuntu\\.com)$";

/** Addresses at which clouds give machines their credentials. */
export const METADATA_HOSTS: readonly string[] = [
  "169.254.169.254",
  "169.254.170.2",
  "metadata.google.internal",
  "100.100.100.200",
  "fd00:ec2::254",
  "169.254.169.123",
  "metadata.azure.internal",
];
