import { jsonText, type Dialect } from '../../foundation/index.js';
import type { ObjectOf, ResourceDefinition } from '../../registry/index.js';
import { hasCondition } from '../builtin/apiextensions/conditions.js';
import type { CustomResourceDefinition } from '../builtin/index.js';
import { customKinds } from './kinds.js';
import type { CustomKindSource } from './source.js';
import type { CustomKindTools } from './tools.js';
import type { Converter } from './versions.js';

type Definition = ObjectOf<typeof CustomResourceDefinition>;

/** Returns the facts that the kinds of an established definition are made from: its accepted names and its spec. */
function sourceOf({ spec, status }: Definition): CustomKindSource {
  return {
    group: spec.group,
    names: status.acceptedNames,
    scope: spec.scope,
    versions: spec.versions ?? [],
    terminating: hasCondition(status.conditions, 'Terminating', 'True'),
  };
}

/**
 * Returns a text that changes whenever the kinds of an established definition change. The generation stands for the spec:
 * its text would be made at each change of the status, in one piece, and kept.
 */
export function factsOf(definition: Definition): string {
  const { uid, generation } = definition.metadata;
  const source = sourceOf(definition);
  return uid === undefined || generation === undefined
    ? jsonText([source, definition.spec.conversion])
    : jsonText([uid, generation, source.names, source.terminating]);
}

/**
 * Returns the kind of the version in which the objects of a definition are stored, whether or not it is served.
 *
 * @throws TypeError when the definition has no storage version
 */
export function storedKindOf(definition: Definition, dialect: Dialect, converter: Converter): ResourceDefinition {
  const source = sourceOf(definition);
  const versions = source.versions.map((version) => ({ ...version, served: version.storage }));
  const [kind] = customKinds({ ...source, versions }, dialect, converter);
  if (kind === undefined) throw new TypeError(`${definition.metadata.name ?? ''} has no storage version`);
  return kind;
}

/** Returns the kinds of an established definition; see {@link customKinds}. */
export const kindsOfDefinition = (
  definition: Definition,
  dialect: Dialect,
  converter: Converter,
  tools: CustomKindTools,
): ResourceDefinition[] => customKinds(sourceOf(definition), dialect, converter, tools);
