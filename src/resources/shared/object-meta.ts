import * as z from 'zod';
import { objectMetaSchema } from '../../schema/object-meta.js';
import type { StructuralSchema } from '../../schema/structural.js';
import { annotate, type FieldMetadata } from '../../schema/vocabulary.js';
import { once } from './once.js';

/**
 * Metadata as part of a template, where it is a field like any other. The fields are those of every object's metadata:
 * the node's list of them is put in place of the few that are spelled out here for the type's sake.
 */
export const objectMeta = once(() => {
  const { name, description, properties, protoKind } = objectMetaSchema;
  const facts = { name, description, properties, protoKind } as FieldMetadata & Pick<StructuralSchema, 'properties'>;
  return annotate(
    z.object({
      name: z.string().optional(),
      labels: z.record(z.string(), z.string()).optional(),
      annotations: z.record(z.string(), z.string()).optional(),
    }),
    facts,
  );
});
