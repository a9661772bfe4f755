/**
 * Builds the schemas of configuration files from nodes instead of zod types. The files are read before any kind is
 * loaded, so reading them must not load zod.
 *
 * @module
 */
import type { Presence, StructuralSchema } from './structural.js';

/** A string that may be missing. */
export const text: StructuralSchema = Object.freeze({ type: 'string', presence: 'omit' });
/** A string that is kept even when it is empty. */
export const optionalText: StructuralSchema = Object.freeze({ type: 'string', presence: 'keep' });
export const requiredText: StructuralSchema = Object.freeze({ type: 'string', presence: 'always' });

/** Returns the node of an object with known fields. */
export const structNode = (
  name: string,
  properties: Readonly<Record<string, StructuralSchema>>,
  presence: Presence = 'keep',
): StructuralSchema =>
  Object.freeze({ type: 'object', name, presence, properties: new Map(Object.entries(properties)) });

/** Returns the node of a list. */
export const list = (items: StructuralSchema, presence: Presence = 'omit'): StructuralSchema =>
  Object.freeze({ type: 'array', presence, items });
