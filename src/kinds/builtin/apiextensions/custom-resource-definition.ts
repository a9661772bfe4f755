import * as z from 'zod';
import type { ObjectMeta } from '../../../foundation/index.js';
import { defineServerKind } from '../../../registry/index.js';
import { once } from '../shared/once.js';
import { definitionSchema } from './definition-schema.js';
import { API_EXTENSIONS_GROUP, definitionStatusStrategy, definitionStrategy } from './strategy.js';
import type { CustomResourceDefinitionFields } from './types.js';

/** The fields that a client sends: the server sets the status. */
type DefinitionInput = Pick<CustomResourceDefinitionFields, 'spec'> & Partial<CustomResourceDefinitionFields>;

type DefinitionType = z.ZodType<CustomResourceDefinitionFields, DefinitionInput>;

const fields = once((): DefinitionType => z.custom<CustomResourceDefinitionFields>());

/** Defines a kind of custom objects, which the server then serves. */
export const CustomResourceDefinition = defineServerKind({
  group: API_EXTENSIONS_GROUP,
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  scope: 'Cluster',
  origin: 'builtin',
  lifecycle: { introduced: '1.16' },
  schema: fields,
  structural: definitionSchema,
  strategy: definitionStrategy,
  subresources: { status: { verbs: ['get', 'patch', 'update'], strategy: definitionStatusStrategy } },
});

/** An object of the kind {@link CustomResourceDefinition}. The server sets the status. */
export type CustomResourceDefinition = {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: ObjectMeta;
} & DefinitionInput;
