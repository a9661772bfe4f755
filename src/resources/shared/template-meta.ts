import * as z from 'zod';
import { templateMetaSchema } from '../../schema/object-meta.js';
import type { StructuralSchema } from '../../schema/structural.js';
import { annotate, type FieldMetadata } from '../../schema/vocabulary.js';
import { once } from './once.js';

/**
 * Metadata of a template. The properties of the structural schema replace the few zod fields, which exist for the
 * static type.
 */
export const templateMeta = once(() => {
  const { name, description, properties, protoKind } = templateMetaSchema;
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
