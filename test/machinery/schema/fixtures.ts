import { z } from 'zod';
import { compileSchema, objectSchema, type StructuralSchema } from '../../../src/machinery/index.js';

/** The schema of complete objects of a kind defined with zod. */
export const kindOf = (schema: z.ZodType, kind = 'Thing'): StructuralSchema =>
  objectSchema({ kind, schema: compileSchema(schema) });

/** An object of that kind. */
export const thing = (fields: Record<string, unknown>): never =>
  ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, ...fields }) as never;
