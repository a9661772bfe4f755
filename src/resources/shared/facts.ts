import * as z from 'zod';
import { annotate, type FieldMetadata } from '../../schema/vocabulary.js';

/**
 * An optional field that is written as null when it is not set: a time, or a list, map or pointer without `omitempty`. A list or map
 * is null when it is empty, too, once it is stored. `number` is its protobuf field number.
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

/**
 * Fields that JSON writes among those of the parent, and protobuf as an embedded message with the given number
 * (an embedded struct with `json:",inline"` in the production system).
 */
export function inlined<Shape extends z.ZodRawShape>(number: number, shape: Shape): Shape {
  for (const field of Object.values(shape)) annotate(field, { protoInline: number });
  return shape;
}
