import type * as z from 'zod';
import { invalid, isJsonObject, type FieldError, type JsonObject, type JsonValue } from '../../../foundation/index.js';
import { needsRefinements } from './compile.js';

/** Formats a path, such as `spec.items[0].name`. */
function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path)
    text += typeof part === 'number' ? `[${part}]` : text === '' ? String(part) : `.${String(part)}`;
  return text;
}

function valueAt(object: JsonObject, path: readonly PropertyKey[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const part of path) {
    if (Array.isArray(value) && typeof part === 'number') value = value[part] as JsonValue | undefined;
    else if (isJsonObject(value) && typeof part !== 'symbol' && Object.hasOwn(value, part)) value = value[part];
    else return undefined;
  }
  return value;
}

/** Returns the kind's own fields, the only ones in the zod type. */
function ownFields(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => name !== 'apiVersion' && name !== 'kind' && name !== 'metadata'),
  );
}

/**
 * Runs the rules of a kind's zod type that its structural schema does not express. Call it only for an object without
 * errors of `validateObject`, so that no error is reported twice. The object is not changed, and results of transforms
 * are discarded.
 *
 * @returns an `Invalid` with zod's message for each issue; empty when the type has no such rules
 * @throws Error when a refinement is asynchronous
 */
export function runRefinements(schema: z.ZodType, object: JsonObject): FieldError[] {
  if (!needsRefinements(schema)) return [];
  const fields = ownFields(object);
  const result = schema.safeParse(fields);
  if (result.success) return [];
  return result.error.issues.map((issue) =>
    invalid(pathText(issue.path), valueAt(fields, issue.path) ?? null, issue.message),
  );
}
