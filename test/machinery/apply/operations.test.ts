import { describe, expect, it } from 'vitest';
import { createFieldManager, fieldSet, type FieldSet } from '../../../src/machinery/index.js';
import type { ApiError, Status } from '../../../src/foundation/errors/api-error.js';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import { apply, expectConflict, expectError, force, run, update, type Operation } from './fixture.js';
import { gadget } from './schemas.js';

const cases: { name: string; ops: Operation[]; spec: JsonValue; managed: Record<string, FieldSet> }[] = [
  {
    name: 'an update owns containers that came with it, an apply only the fields it names',
    ops: [update('u', { settings: { a: '1' } }), apply('a', { settings: { b: '2' } })],
    spec: { settings: { a: '1', b: '2' } },
    managed: {
      'u Update': { '.': {}, 'f:settings': { '.': {}, 'f:a': {} } },
      'a Apply': { 'f:settings': { 'f:b': {} } },
    },
  },
  {
    name: 'equal values are shared, and either owner then conflicts with the other',
    ops: [apply('a', { mode: 'x' }), apply('b', { mode: 'x' }), expectConflict('b', { mode: 'y' }, '.spec.mode')],
    spec: { mode: 'x' },
    managed: { 'a Apply': { 'f:mode': {} }, 'b Apply': { 'f:mode': {} } },
  },
  {
    name: 'force takes ownership, and giving up the field then removes it',
    ops: [
      apply('a', { mode: 'x', settings: { k: 'v' } }),
      force('b', { mode: 'y' }),
      apply('b', { settings: { l: 'w' } }),
    ],
    spec: { settings: { k: 'v', l: 'w' } },
    managed: { 'a Apply': { 'f:settings': { 'f:k': {} } }, 'b Apply': { 'f:settings': { 'f:l': {} } } },
  },
  {
    name: 'an update never conflicts and takes ownership of its changes',
    ops: [apply('a', { mode: 'x', tags: ['p'] }), update('u', { mode: 'y', tags: ['p', 'q'] })],
    spec: { mode: 'y', tags: ['p', 'q'] },
    managed: { 'a Apply': { 'f:tags': { 'v:"p"': {} } }, 'u Update': { 'f:mode': {}, 'f:tags': { 'v:"q"': {} } } },
  },
  {
    name: 'duplicates in an update are owned as one; an apply must not contain them',
    ops: [
      update('u', { tags: ['d', 'd'] }),
      expectError(
        'a',
        { tags: ['d', 'd'] },
        'failed to create typed patch object (/g; /v1, Kind=Gadget): .spec.tags: duplicate entries for key [="d"]',
      ),
    ],
    spec: { tags: ['d', 'd'] },
    managed: { 'u Update': { '.': {}, 'f:tags': { '.': {}, 'v:"d"': {} } } },
  },
  {
    name: 'unstructured parts are owned by key, their lists whole',
    ops: [
      apply('a', { extra: { x: { y: [1, 2] } } }),
      apply('b', { extra: { x: { z: null } } }),
      expectConflict('b', { extra: { x: { y: [1] } } }, '.spec.extra.x.y'),
    ],
    spec: { extra: { x: { y: [1, 2], z: null } } },
    managed: {
      'a Apply': { 'f:extra': { 'f:x': { '.': {}, 'f:y': {} } } },
      'b Apply': { 'f:extra': { 'f:x': { '.': {}, 'f:z': {} } } },
    },
  },
  {
    name: 'a reset beside a change leaves no record, and the next update adds none',
    ops: [
      apply('a', { mode: 'x', settings: { k: '1' } }),
      update('u', { mode: 'y', settings: { k: '1' } }, [{}]),
      update('u', { mode: 'z', settings: { k: '1' } }),
    ],
    spec: { mode: 'z', settings: { k: '1' } },
    managed: {},
  },
  {
    name: 'an empty list is a reset, too',
    ops: [apply('a', { mode: 'x' }), update('u', { mode: 'y' }, [])],
    spec: { mode: 'y' },
    managed: {},
  },
  {
    name: 'after a reset, the first apply finds all fields owned',
    ops: [apply('a', { mode: 'x' }), update('u', { mode: 'x' }, [{}]), apply('b', { mode: 'x' })],
    spec: { mode: 'x' },
    managed: {
      'before-first-apply Update': { '.': {}, 'f:mode': {} },
      'b Apply': { 'f:mode': {} },
    },
  },
  {
    name: 'a struct with other owners stays, even with only an empty list left in it',
    ops: [apply('a', {}), apply('b', { tags: [], rooms: [{ name: 'r' }] }), apply('b', {})],
    spec: { tags: [] },
    managed: { 'a Apply': {}, 'b Apply': {} },
  },
  {
    name: 'an apply that only reorders is a change, which affects no other owner',
    ops: [
      update('u', { tags: ['p', 'q', 'r'], rooms: [{ name: 'a' }, { name: 'b' }] }),
      apply('a', { tags: ['r', 'p'], rooms: [{ name: 'b' }, { name: 'a' }] }),
    ],
    spec: { tags: ['q', 'r', 'p'], rooms: [{ name: 'b' }, { name: 'a' }] },
    managed: {
      'u Update': {
        '.': {},
        'f:rooms': {
          '.': {},
          'k:{"name":"a"}': { '.': {}, 'f:name': {} },
          'k:{"name":"b"}': { '.': {}, 'f:name': {} },
        },
        'f:tags': { '.': {}, 'v:"p"': {}, 'v:"q"': {}, 'v:"r"': {} },
      },
      'a Apply': {
        'f:rooms': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} }, 'k:{"name":"b"}': { '.': {}, 'f:name': {} } },
        'f:tags': { 'v:"p"': {}, 'v:"r"': {} },
      },
    },
  },
  {
    name: 'lists of objects and of lists in unstructured parts are owned whole',
    ops: [
      apply('a', { extra: { items: [{ b: 1 }, { c: [[2], { d: null }] }], mixed: [1, 'x', null, [true]] } }),
      expectConflict('b', { extra: { items: [{ b: 2 }] } }, '.spec.extra.items'),
      force('b', { extra: { items: [{ b: 2 }] } }),
    ],
    spec: { extra: { items: [{ b: 2 }], mixed: [1, 'x', null, [true]] } },
    managed: { 'a Apply': { 'f:extra': { 'f:mixed': {} } }, 'b Apply': { 'f:extra': { 'f:items': {} } } },
  },
  {
    name: 'an item that lacks one of its keys is rejected, unless the key has a default',
    ops: [
      expectError(
        'a',
        { ports: [{ protocol: 'UDP' }] },
        'failed to create typed patch object (/g; /v1, Kind=Gadget): .spec.ports: element 0: associative list with keys has an element that omits key field "port" (and doesn\'t have default value)',
      ),
      apply('a', { ports: [{ port: 1 }] }),
    ],
    spec: { ports: [{ port: 1 }] },
    managed: { 'a Apply': { 'f:ports': { 'k:{"port":1,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } } },
  },
  {
    name: 'keys of the prototype are ordinary keys',
    ops: [update('u', { settings: { constructor: '1' } }), apply('a', { settings: { toString: '2' } })],
    spec: { settings: { constructor: '1', toString: '2' } },
    managed: {
      'u Update': { '.': {}, 'f:settings': { '.': {}, 'f:constructor': {} } },
      'a Apply': { 'f:settings': { 'f:toString': {} } },
    },
  },
  {
    name: 'undeclared fields and values of a wrong type are rejected, all at once',
    ops: [
      expectError(
        'a',
        { mode: 1, nope: true },
        'failed to create typed patch object (/g; /v1, Kind=Gadget): errors:\n  .spec.mode: expected string, got &value.valueUnstructured{Value:1}\n  .spec.nope: field not declared in schema',
      ),
      apply('a', { mode: 'x' }),
    ],
    spec: { mode: 'x' },
    managed: { 'a Apply': { 'f:mode': {} } },
  },
];

describe('operations', () => {
  it.each(cases)('$name', ({ ops, spec, managed }) => {
    const state = run(ops);
    expect(state.spec).toEqual(spec);
    expect(state.managed).toEqual(managed);
  });

  it('keeps ten update records and merges the oldest', () => {
    const ops = Array.from({ length: 13 }, (_, index) =>
      update(`u${String(index).padStart(2, '0')}`, {
        settings: Object.fromEntries(Array.from({ length: index + 1 }, (_v, key) => [`k${key}`, 'v'])),
      }),
    );
    const { managed } = run(ops);
    expect(Object.keys(managed)).toHaveLength(10);
    expect(managed['ancient-changes Update']).toEqual({
      '.': {},
      'f:settings': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} },
    });
  });

  it('lists the causes of a conflict in the order of its message', () => {
    const { stored } = run([
      apply('zoe', { mode: 'x', settings: { a: '1' } }),
      apply('adam', { settings: { b: '1', a: '1' } }),
    ]);
    const manager = createFieldManager({ schema: gadget, apiVersion: 'v1', kind: 'Gadget' });
    const applied = {
      apiVersion: 'v1',
      kind: 'Gadget',
      metadata: { name: 'g' },
      spec: { mode: 'y', settings: { a: '2', b: '2' } },
    };
    let status: Status | undefined;
    try {
      manager.apply({ live: stored, applied, manager: 'eve', force: false, now: 0 });
    } catch (error) {
      status = (error as ApiError).status;
    }
    const causes = (status?.details?.causes ?? []).map(({ message, field }) => [message, field]);
    expect(causes).toEqual([
      ['conflict with "adam"', '.spec.settings.a'],
      ['conflict with "adam"', '.spec.settings.b'],
      ['conflict with "zoe"', '.spec.mode'],
      ['conflict with "zoe"', '.spec.settings.a'],
    ]);
    expect(status?.message).toBe(
      'Apply failed with 4 conflicts: conflicts with "adam":\n- .spec.settings.a\n- .spec.settings.b\nconflicts with "zoe":\n- .spec.mode\n- .spec.settings.a',
    );
  });

  it('ignores reset fields on both sides', () => {
    const resetFields = { '': { v1: fieldSet(['f:spec', 'f:mode']) } };
    const { managed } = run([apply('a', { mode: 'x', tags: ['t'] }), update('u', { mode: 'y', tags: ['t'] })], {
      resetFields,
    });
    expect(managed).toEqual({ 'a Apply': { 'f:tags': { 'v:"t"': {} } } });
  });
});
