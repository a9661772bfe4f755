import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { invalid, type FieldError } from '../../src/foundation/errors/field-error.js';
import type { StoredObject } from '../../src/foundation/objects/object.js';
import { defineResource } from '../../src/registry/definition/definition.js';
import { refusal } from './registry.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';

/** The calls of the rules, in order. */
const asked: string[] = [];

const verdictOf = (object: StoredObject, rule: string, old?: StoredObject): FieldError[] => {
  asked.push(
    `${rule} ${object.metadata.name ?? ''}${old === undefined ? '' : ` after ${old.metadata.resourceVersion ?? ''}`}`,
  );
  return object.metadata.annotations?.[rule] === undefined
    ? []
    : [invalid(`spec.${rule}`, object.metadata.name, 'is wrong')];
};

const shape = {
  version: 'v1',
  group: 'rules.example',
  scope: 'Cluster',
  schema: () => z.object({ prefix: z.string().optional() }),
} as const;

/** A kind with an asynchronous rule for new objects, and a name prefix that depends on the object. */
const Slow = defineResource({
  ...shape,
  kind: 'Slow',
  plural: 'slows',
  strategy: {
    nameRuleOf: (object) => (name) =>
      name.startsWith(String(object['prefix'] ?? '')) ? [] : ['begins with something else'],
    validateNew: async (object) => {
      await Promise.resolve();
      return verdictOf(object, 'new');
    },
    validate: (object, _context, old) => verdictOf(object, 'state', old),
    validateUpdate: (object, old) => verdictOf(object, 'change', old),
    warnings: (object) => [`slow ${object.metadata.name ?? ''}`],
  },
});

/** The same with a synchronous rule. */
const Quick = defineResource({
  ...shape,
  kind: 'Quick',
  plural: 'quicks',
  strategy: { validate: (object, _context, old) => verdictOf(object, 'state', old) },
});

let running: TestServer;
beforeEach(async () => {
  running = await startTestServer({ resources: [Slow, Quick] });
  asked.length = 0;
});
afterEach(() => running.close());

describe('an asynchronous rule', () => {
  test('is called for new objects, in place of the synchronous one', async () => {
    const slows = running.client.resource(Slow);
    const { metadata } = await slows.create({ metadata: { name: 'a' } });
    await slows.patch('a', { metadata: { labels: { a: 'b' } } });
    expect(asked).toEqual([
      'new a',
      `state a after ${metadata.resourceVersion ?? ''}`,
      `change a after ${metadata.resourceVersion ?? ''}`,
    ]);
  });

  test('rejects after the errors of the metadata', async () => {
    const slows = running.client.resource(Slow);
    const error = await refusal(
      slows.create({ metadata: { name: 'a', labels: { 'a b': '' }, annotations: { new: 'yes' } } }),
    );
    expect(error).toMatchObject({
      code: 422,
      status: { details: { causes: [{ field: 'metadata.labels' }, { field: 'spec.new' }] } },
    });
    await expect(slows.get('a')).rejects.toMatchObject({ code: 404 });
  });

  test('runs before warnings', async () => {
    const warnings: string[] = [];
    const slows = running.server.client({ onWarning: (text: string) => void warnings.push(text) }).resource(Slow);
    await refusal(slows.create({ metadata: { name: 'a', annotations: { new: 'yes' } } }));
    expect(warnings).toEqual([]);
    await slows.create({ metadata: { name: 'a' } });
    expect(warnings).toEqual(['slow a']);
  });
});

test('a rule for updates gets the previous state', async () => {
  const quicks = running.client.resource(Quick);
  const { metadata } = await quicks.create({ metadata: { name: 'a' } });
  await quicks.patch('a', { metadata: { labels: { a: 'b' } } });
  expect(asked).toEqual(['state a', `state a after ${metadata.resourceVersion ?? ''}`]);
});

test('a rule for names can read the object', async () => {
  const slows = running.client.resource(Slow);
  expect(await refusal(slows.create({ metadata: { name: 'a' }, prefix: 'b' }))).toMatchObject({
    message: 'Slow.rules.example "a" is invalid: metadata.name: Invalid value: "a": begins with something else',
  });
  expect(await refusal(slows.create({ metadata: { generateName: 'a-' }, prefix: 'b' }))).toMatchObject({
    status: { details: { causes: [{ field: 'metadata.generateName' }, { field: 'metadata.name' }] } },
  });
  await slows.create({ metadata: { generateName: 'b-' }, prefix: 'b' });
});
