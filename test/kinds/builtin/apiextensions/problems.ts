import { atOnce, type MaybeSteps } from '../../../../src/foundation/work/work.js';
import type { ResourceDefinition } from '../../../../src/registry/definition/definition.js';
import { CustomResourceDefinition } from '../../../../src/kinds/builtin/index.js';
import type { FieldError } from '../../../../src/foundation/errors/field-error.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../../src/foundation/objects/object.js';
import { changed, contextOf, create, decode, freeze, kubernetes, texts } from '../support.js';
import { definition, type Parts } from './world.js';

const { strategy = {} }: ResourceDefinition = CustomResourceDefinition;
// Loads the checks of rules too, which only definitions with rules need.
const withRules = { spec: { versions: [{ schema: { 'x-kubernetes-validations': [] } }] } };
await strategy.load?.({ apiVersion: '', kind: '', metadata: {}, ...withRules });

const context = contextOf(kubernetes);

/** The manifest of a definition without apiVersion and kind. */
const manifestOf = (parts: Parts): JsonObject => {
  const {
    apiVersion: _,
    kind: __,
    ...manifest
  } = JSON.parse(JSON.stringify(definition(parts))) as Record<string, never>;
  return manifest;
};

/** A definition as it is stored after a create. */
export const stored = (parts: Parts = {}): StoredObject =>
  create(CustomResourceDefinition, manifestOf(parts), kubernetes);

/** The errors of a new definition, besides its metadata. */
export const problemsOf = (parts: Parts): string[] => texts(foundIn(strategy.validateNew?.(stored(parts), context)));

/** The errors of a new definition that has one version with this schema. */
export const schemaProblems = (schema: unknown, version: object = {}): string[] =>
  problemsOf({ schema, version: { schema: { openAPIV3Schema: schema }, ...version } }).map((text) =>
    text.replace('spec.validation.openAPIV3Schema', 'ROOT'),
  );

/** The errors of a change of a definition, besides its metadata. */
export function changeProblems(old: Parts, now: Parts, established = false): string[] {
  const before = changed(stored(old), {
    'status.conditions': established
      ? [{ type: 'Established', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z', reason: 'A', message: 'b' }]
      : null,
  });
  const object = decode(CustomResourceDefinition, { ...manifestOf(now) }, kubernetes);
  object.metadata.resourceVersion = '7';
  atOnce(strategy.prepareForUpdate?.(object, before as StoredObject, context));
  return texts(foundIn(strategy.validateChange?.(freeze(object as StoredObject), before as StoredObject, context)));
}

function foundIn(found: MaybeSteps<FieldError[]> | Promise<FieldError[]> | undefined): FieldError[] {
  if (found === undefined || found instanceof Promise) throw new Error('the check waits');
  return atOnce(found);
}
