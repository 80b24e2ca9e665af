export function boom(what: string): never {
  throw new TypeError(what);
}
