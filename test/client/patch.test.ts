import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Pod } from '../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { Widget } from './widget.js';

let running: TestServer;
beforeEach(async () => {
  running = await startTestServer({ resources: [Widget] });
  await widgets().create({ metadata: { name: 'w' }, spec: { color: 'red', parts: [{ name: 'wheel' }] } });
});
afterEach(() => running.close());

const widgets = () => running.client.resource(Widget).namespace('default');

describe('patch', () => {
  test('a list of operations is a JSON Patch, anything else a merge patch', async () => {
    const moved = await widgets().patch('w', [{ op: 'replace', path: '/spec/color', value: 'blue' }]);
    expect(moved.spec.color).toBe('blue');
    const merged = await widgets().patch('w', { spec: { size: 9 }, metadata: { labels: { a: 'b' } } });
    expect([merged.spec, merged.metadata.labels]).toEqual([
      { color: 'blue', size: 9, parts: [{ name: 'wheel', count: 1 }] },
      { a: 'b' },
    ]);
  });

  test('a patch can be made of two objects, in both forms, and leaves what others changed', async () => {
    const before = await widgets().get('w');
    const after = { ...before, spec: { ...before.spec, size: 3, parts: [{ name: 'wheel', count: 4 }] } };
    await widgets().patch('w', { spec: { color: 'green' } });
    const merge = await widgets().patchOf(before, after);
    expect(merge).toEqual({ spec: { size: 3, parts: [{ name: 'wheel', count: 4 }] } });
    expect((await widgets().patch('w', merge)).spec).toMatchObject({ color: 'green', ...merge.spec });

    const operations = await widgets().patchOf(after, { ...after, spec: { ...after.spec, parts: [] } }, 'json');
    expect(operations).toEqual([{ op: 'remove', path: '/spec/parts/0' }]);
    expect((await widgets().patch('w', operations)).spec).toMatchObject({ color: 'green', parts: [] });
    expect([await widgets().patchOf(before, before), await widgets().patchOf(before, before, 'json')]).toEqual([
      {},
      [],
    ]);
    // @ts-expect-error there is no such form
    await expect(widgets().patchOf(before, after, 'strategic')).rejects.toThrow(TypeError);
  });

  test('a patch between two versions of an object is one for the later version only', async () => {
    const before = await widgets().get('w');
    const after = await widgets().patch('w', { spec: { color: 'green' } });
    const patch = await widgets().patchOf(before, after);
    expect(patch.metadata?.resourceVersion).toBe(after.metadata.resourceVersion);
    await widgets().patch('w', { spec: { size: 7 } });
    await expect(widgets().patch('w', patch)).rejects.toMatchObject({ code: 409 });
  });

  test('a strategic merge patch merges lists of built-in kinds by their keys', async () => {
    const pods = running.client.resource(Pod).namespace('default');
    await pods.create({
      metadata: { name: 'p' },
      spec: {
        containers: [
          { name: 'a', image: 'one' },
          { name: 'b', image: 'one' },
        ],
      },
    });
    const patched = await pods.patch(
      'p',
      { spec: { containers: [{ name: 'b', image: 'two' }] } },
      { type: 'strategic' },
    );
    expect(patched.spec?.containers.map(({ name, image }) => [name, image])).toEqual([
      ['a', 'one'],
      ['b', 'two'],
    ]);
  });

  test('of a subresource, as a dry run, with a signal', async () => {
    const ready = await widgets().patch(
      'w',
      { status: { phase: 'Ready' }, spec: { color: 'green' } },
      { subresource: 'status' },
    );
    expect([ready.status, ready.spec.color]).toEqual([{ phase: 'Ready', ready: false }, 'red']);
    const dry = await widgets().patch('w', { spec: { size: 2 } }, { dryRun: true });
    expect([dry.spec.size, (await widgets().get('w')).spec.size]).toEqual([2, 1]);
    await expect(widgets().patch('w', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  test('the result is validated, and a missing object is not found', async () => {
    await expect(widgets().patch('w', { spec: { size: 1000 } })).rejects.toMatchObject({
      code: 422,
      reason: 'Invalid',
    });
    await expect(widgets().patch('none', {})).rejects.toMatchObject({ code: 404, reason: 'NotFound' });
    await expect(widgets().patch('w', { metadata: { resourceVersion: '1' } })).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
  });
});

describe('apply', () => {
  test('creates, then owns its fields; another manager gets a conflict, or forces', async () => {
    const made = await widgets().apply({ metadata: { name: 'x' }, spec: { color: 'red' } }, { fieldManager: 'one' });
    expect(made.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ['one', 'Apply'],
    ]);
    await expect(
      widgets().apply({ metadata: { name: 'x' }, spec: { color: 'blue' } }, { fieldManager: 'two' }),
    ).rejects.toMatchObject({
      code: 409,
      status: { details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.color' }] } },
    });
    const forced = await widgets().apply(
      { metadata: { name: 'x' }, spec: { color: 'blue' } },
      { fieldManager: 'two', force: true },
    );
    expect(forced.spec.color).toBe('blue');
  });

  test('requires the right to create if it creates', async () => {
    await using own = await startTestServer({
      resources: [Widget],
      authorization: {
        authorizer: ({ user, verb }) => ({
          decision: user.username !== 'ann' || verb === 'patch' ? 'Allow' : 'NoOpinion',
          reason: '',
        }),
      },
    });
    const hers = own.server
      .client({ user: { username: 'ann', groups: [] } })
      .resource(Widget)
      .namespace('default');
    await expect(
      hers.apply({ metadata: { name: 'x' }, spec: { color: 'red' } }, { fieldManager: 'ann' }),
    ).rejects.toMatchObject({ code: 403 });
    await own.client
      .resource(Widget)
      .namespace('default')
      .create({ metadata: { name: 'x' }, spec: { color: 'red' } });
    expect(
      (await hers.apply({ metadata: { name: 'x', labels: { by: 'ann' } } }, { fieldManager: 'ann' })).metadata.labels,
    ).toEqual({ by: 'ann' });
  });
});
