import type * as ClientNode from '@kubernetes/client-node';
import { problemOf } from './usable.js';

/** The library, of any version; the cases use only what the versions have in common. */
export type Library = typeof ClientNode;

/** A version of the library, or the reason why it cannot run here: version 2 needs a newer Node than version 1. */
export type Candidate =
  { readonly name: string; readonly library: Library } | { readonly name: string; readonly reason: string };

async function load(name: string): Promise<Candidate> {
  const reason = problemOf(name);
  if (reason !== undefined) return { name, reason };
  return { name, library: (await import(/* @vite-ignore */ name)) as Library };
}

/** Names of the library in package.json: the version for every Node, and version 2. */
export const candidates: readonly Candidate[] = await Promise.all(
  ['@kubernetes/client-node', 'client-node-2'].map(load),
);
