import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineResource, type ResourceDefinition } from '../../src/registry/definition.js';

const good = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced', schema: () => z.object({}) } as const;

describe('a definition of a kind', () => {
  it.each([
    ['a version', { version: '1.0' }, 'version must look like v1 or v1beta1, got "1.0"'],
    ['a kind', { kind: 'widget' }, 'kind must be in CamelCase, got "widget"'],
    ['a plural', { plural: 'Widgets' }, 'plural must be a lower-case DNS label, got "Widgets"'],
    // As somebody writes it who has no types.
    ['a schema', { schema: z.object({}) as unknown as ResourceDefinition['schema'] }, 'schema must be a function that makes the schema, as () => z.object({ … })'],
  ])('is refused with %s of another form', (_what, wrong, message) => {
    expect(() => defineResource({ ...good, ...wrong })).toThrow(new TypeError(message));
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(defineResource(good))).toBe(true);
  });
});
