import type * as z from 'zod';
import { ownMember } from '../../../foundation/index.js';
import type { StructuralSchema } from './structural.js';

/** A node under construction. */
export type Draft = { -readonly [Key in keyof StructuralSchema]: StructuralSchema[Key] };

/** The definition of a zod check, discriminated by `check`. */
export type CheckDef = z.core.$ZodChecks['_zod']['def'];

/** OpenAPI names of the string formats that both zod and Kubernetes have. */
const FORMATS: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  cidrv4: 'cidr',
  cidrv6: 'cidr',
  mac: 'mac',
  datetime: 'date-time',
  date: 'date',
  duration: 'duration',
  base64: 'byte',
};

const MAX_FLOAT32 = 2 ** 128 - 2 ** 104;

/** Structural facts of zod's number formats. As in Kubernetes, a format alone does not restrict a number. */
const NUMBER_FORMATS: Readonly<Record<string, Partial<Draft>>> = {
  safeint: { type: 'integer' },
  int32: { type: 'integer', format: 'int32', minimum: -0x8000_0000, maximum: 0x7fff_ffff },
  uint32: { type: 'integer', format: 'int64', minimum: 0, maximum: 0xffff_ffff },
  float32: { format: 'float', minimum: -MAX_FLOAT32, maximum: MAX_FLOAT32 },
  float64: { format: 'double' },
};

function atLeast(draft: Draft, length: number): boolean {
  if (draft.type === 'array') draft.minItems = Math.max(draft.minItems ?? 0, length);
  else draft.minLength = Math.max(draft.minLength ?? 0, length);
  return true;
}

function atMost(draft: Draft, length: number): boolean {
  if (draft.type === 'array') draft.maxItems = Math.min(draft.maxItems ?? Infinity, length);
  else draft.maxLength = Math.min(draft.maxLength ?? Infinity, length);
  return true;
}

function above(draft: Draft, bound: unknown, inclusive: boolean): boolean {
  if (typeof bound !== 'number') return false;
  if (draft.minimum !== undefined && (draft.minimum > bound || (draft.minimum === bound && inclusive))) return true;
  draft.minimum = bound;
  if (inclusive) delete draft.exclusiveMinimum;
  else draft.exclusiveMinimum = true;
  return true;
}

function below(draft: Draft, bound: unknown, inclusive: boolean): boolean {
  if (typeof bound !== 'number') return false;
  if (draft.maximum !== undefined && (draft.maximum < bound || (draft.maximum === bound && inclusive))) return true;
  draft.maximum = bound;
  if (inclusive) delete draft.exclusiveMaximum;
  else draft.exclusiveMaximum = true;
  return true;
}

function stringFormat(draft: Draft, format: string, pattern: RegExp | undefined): boolean {
  const known = ownMember(FORMATS, format);
  if (known !== undefined) {
    draft.format ??= known;
    // The two define the format differently, so zod checks it as well.
    return false;
  }
  if (pattern === undefined || draft.pattern !== undefined || !/^[uv]?$/.test(pattern.flags)) return false;
  draft.pattern = pattern.source;
  return true;
}

function multipleOf(draft: Draft, factor: unknown): boolean {
  if (typeof factor !== 'number' || draft.multipleOf !== undefined) return false;
  draft.multipleOf = factor;
  return true;
}

/**
 * Expresses each check in a node; returns false when the node does not express all of it. Missing checks cannot be
 * expressed.
 */
const checks: {
  readonly [Name in CheckDef['check']]?: (draft: Draft, check: Extract<CheckDef, { check: Name }>) => boolean;
} = {
  min_length: (draft, check) => atLeast(draft, check.minimum),
  max_length: (draft, check) => atMost(draft, check.maximum),
  length_equals: (draft, check) => atLeast(draft, check.length) && atMost(draft, check.length),
  greater_than: (draft, check) => above(draft, check.value, check.inclusive),
  less_than: (draft, check) => below(draft, check.value, check.inclusive),
  multiple_of: (draft, check) => multipleOf(draft, check.value),
  number_format: (draft, check) => {
    Object.assign(draft, ownMember(NUMBER_FORMATS, check.format));
    return true;
  },
  string_format: (draft, check) => stringFormat(draft, check.format, check.pattern),
  // Changes the value and never refuses it; the server stores what the client sent.
  overwrite: () => true,
};

/**
 * Writes a zod check into a node.
 *
 * @returns false when the node does not express the whole check, so that zod checks as well
 */
export function applyCheck(draft: Draft, check: CheckDef): boolean {
  const apply = checks[check.check] as ((draft: Draft, check: CheckDef) => boolean) | undefined;
  return apply?.(draft, check) ?? false;
}
