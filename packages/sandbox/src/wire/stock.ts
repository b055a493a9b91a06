/** Where a stock execd listens. */
export const EXECD_PORT = 44_772;

/** The header in which it is shown its token. */
export const ACCESS_TOKEN = "X-EXECD-ACCESS-TOKEN";

/** The same as headers are looked up. */
export const ACCESS_TOKEN_NAME = "x-execd-access-token";
