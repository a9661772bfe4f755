import * as z from 'zod';
import { annotate, type FieldMetadata } from '../../../machinery/index.js';

/**
 * Declares an optional field that is written as null when it is not set: a time, or a list, map or pointer without
 * `omitempty`. An empty list or map becomes null once it is stored.
 *
 * @param number protobuf field number
 */
export function unsetIsNull<Schema extends z.ZodType>(
  number: number,
  schema: Schema,
  metadata: FieldMetadata = {},
): z.ZodOptional<z.ZodNullable<Schema>> {
  return annotate(z.nullable(schema).optional(), {
    ...metadata,
    presence: 'always',
    nullable: true,
    protoNumber: number,
  });
}
