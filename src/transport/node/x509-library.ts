import { createRequire } from 'node:module';
import type * as X509 from '@peculiar/x509';

/** The X.509 library. */
export type X509Library = typeof X509;

let library: X509Library | undefined;

/** What the library's dependency container asks of the `reflect-metadata` package, which is no dependency of ours. */
const METADATA_FUNCTIONS = {
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
  hasMetadata: () => false,
  hasOwnMetadata: () => false,
  defineMetadata: () => undefined,
};

/**
 * Loads `@peculiar/x509` on first use.
 *
 * Its dependency container refuses to load unless `Reflect` has metadata functions. They are put there while it loads
 * and taken away again, in one synchronous step, so that no other code ever sees them; functions that an application has
 * loaded itself stay in place.
 */
export function x509Library(): X509Library {
  if (library !== undefined) return library;
  const missing = 'getMetadata' in Reflect ? [] : (Object.keys(METADATA_FUNCTIONS) as (keyof typeof METADATA_FUNCTIONS)[]);
  for (const name of missing) Reflect.set(Reflect, name, METADATA_FUNCTIONS[name]);
  try {
    library = createRequire(import.meta.url)('@peculiar/x509') as X509Library;
  } finally {
    for (const name of missing) Reflect.deleteProperty(Reflect, name);
  }
  return library;
}
