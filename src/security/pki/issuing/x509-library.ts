/** The library that creates certificate requests. */
export type X509Library = typeof import('@peculiar/x509');

/** Functions that the library's registry of algorithms calls while it loads, and never later. */
const NEEDED = ['getMetadata', 'getOwnMetadata'];

/**
 * Loads the library, when the first request is created.
 *
 * Its registry of algorithms looks for the polyfill `reflect-metadata` while it loads, but none of the classes in it has
 * metadata. Where the program has no such polyfill, functions without an answer stand in for it until the library is
 * loaded. So the global `Reflect` is afterwards as it was, and a polyfill that the program loads in the meantime stays.
 */
export async function loadX509(): Promise<X509Library> {
  const nothing = (): undefined => undefined;
  const missing = NEEDED.filter((name) => !Reflect.has(Reflect, name));
  for (const name of missing)
    Reflect.defineProperty(Reflect, name, { value: nothing, configurable: true, writable: true });
  try {
    return await import('@peculiar/x509');
  } finally {
    for (const name of missing) if (Reflect.get(Reflect, name) === nothing) Reflect.deleteProperty(Reflect, name);
  }
}
