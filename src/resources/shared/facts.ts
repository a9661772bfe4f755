import type * as z from 'zod';
import { annotate, type FieldMetadata } from '../../schema/vocabulary.js';

/**
 * An optional time that is written as null when there is none: a struct without a pointer in the production system,
 * which `omitempty` does not leave out.
 */
export function nullTime(number: number, schema: z.ZodString, metadata: FieldMetadata = {}): z.ZodOptional<z.ZodNullable<z.ZodString>> {
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
