import * as z from 'zod';
import { annotate, type FieldMetadata } from '../../schema/vocabulary.js';

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

/**
 * Declares inlined fields: JSON writes them among the fields of the parent, protobuf as an embedded message (a Go
 * struct embedded with `json:",inline"`).
 *
 * @param number protobuf field number of the embedded message
 */
export function inlined<Shape extends z.ZodRawShape>(number: number, shape: Shape): Shape {
  for (const field of Object.values(shape)) annotate(field, { protoInline: [number] });
  return shape;
}
