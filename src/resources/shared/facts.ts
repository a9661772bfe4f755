import type * as z from 'zod';
import { annotate, type FieldMetadata } from '../../schema/vocabulary.js';

/**
 * An optional field that is written as null when it is not set: a time, list, map or pointer that Go's encoder does not leave out. A list or
 * map is null when it is empty, too, once it is stored.
 */
export function unsetIsNull<Schema extends z.ZodType>(number: number, schema: Schema, metadata: FieldMetadata = {}): z.ZodOptional<z.ZodNullable<Schema>> {
  return annotate(schema.nullable().optional(), { ...metadata, presence: 'always', nullable: true, protoNumber: number });
}

/**
 * Fields that JSON writes among those of the parent, and protobuf as an embedded message with the given number
 * (an embedded struct with `json:",inline"` in the production system).
 */
export function inlined<Shape extends z.ZodRawShape>(number: number, shape: Shape): Shape {
  for (const field of Object.values(shape)) annotate(field, { protoInline: number });
  return shape;
}
