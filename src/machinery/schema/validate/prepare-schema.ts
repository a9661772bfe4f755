import type { Steps, Work } from '../../../foundation/index.js';
import { constraintsOf } from '../define/constraints.js';
import type { StructuralSchema } from '../define/structural.js';
import { readerInSteps } from '../read/readers.js';

/** Units of work to make the reader of a schema, and to find its constraints. */
const SCHEMA_UNITS = 12;

/**
 * Makes in steps what reading and validation derive from a large schema: the first request would make all of it in one
 * piece.
 */
export function* prepareSchema(root: StructuralSchema, origin: 'builtin' | 'user', work: Work): Steps<void> {
  const found = new Set<StructuralSchema>([root]);
  // A set yields what is added while it is iterated.
  for (const { properties, additionalProperties, items } of found) {
    for (const property of properties?.values() ?? []) found.add(property);
    if (additionalProperties !== undefined) found.add(additionalProperties);
    if (items !== undefined) found.add(items);
    if (work.spend(1 + (properties?.size ?? 0))) yield;
  }
  // The parts come before what they are in.
  const schemas = [...found];
  for (let index = schemas.length - 1; index >= 0; index -= 1) {
    const schema = schemas[index] as StructuralSchema;
    if (work.spend(SCHEMA_UNITS)) yield;
    yield* readerInSteps(schema, origin, work);
    constraintsOf(schema);
    if (work.spend(schema.properties?.size ?? 0)) yield;
  }
}
