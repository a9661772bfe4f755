import type { ResourceDefinition } from '../definition/definition.js';

/** Verbs that return objects as they are stored. */
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/**
 * Loads what a kind needs before a call of a program in the same process; undefined when nothing is missing.
 *
 * Stored objects of a built-in kind can be read without its types and its behaviour, unless they are stored in another
 * version. So the controllers that watch every kind load none of them.
 *
 * @param verb verb of the call; undefined for all verbs and formats
 */
export function preparation(definition: ResourceDefinition, verb: string | undefined): Promise<void> | undefined {
  const { origin, conversion, prepare } = definition;
  const isPlainRead = verb !== undefined && READS.has(verb) && origin === 'builtin' && conversion === undefined;
  return isPlainRead ? undefined : prepare?.();
}
