/** A time in milliseconds that JavaScript can hold exactly. */
export const MS = (column: string) =>
  `${column} INTEGER CHECK (${column} BETWEEN -9007199254740991 AND 9007199254740991)`;
