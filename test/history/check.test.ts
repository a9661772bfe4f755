/** Each rule of the checker has a history that keeps it, and one that breaks only it. */
import { describe, expect, test } from 'vitest';
import { checkHistory } from './check.js';
import { checkLinearizable } from './check-linearizable.js';
import { HandMade, version } from './hand-made.js';
import { BAD_VALUE } from './history.js';
import { reportOf } from './timeline.js';

/** The rules that a history breaks. */
function broken(write: (made: HandMade) => void): string[] {
  const made = new HandMade();
  write(made);
  return [...new Set(checkHistory(made.history).map(({ rule }) => rule))].sort();
}

/** A key that is created at 1, updated at 2, deleted at 3 and created at 4; values 1 to 3. */
function lives(made: HandMade): HandMade {
  return made.create(1, 1).update(2, 2, 1, 1).delete(3, 2, 2).create(3, 4);
}

const CREATED = { kind: 'create', ...version(1, 1) } as const;
const UPDATED = { kind: 'update', ...version(2, 2, 1), previous: { value: 1, revision: 1 } } as const;
const DELETED = { kind: 'delete', ...version(2, 3, 1), previous: { value: 2, revision: 2 } } as const;
const AGAIN = { kind: 'create', ...version(3, 4) } as const;

describe('writes', () => {
  test('in the order of their revisions keep the rules', () => {
    expect(broken((made) => lives(made))).toEqual([]);
  });

  test('of several clients may overlap', () => {
    const rules = broken((made) => {
      const [one, two] = [made.begin('create', { value: 1 }), made.begin('create', { value: 2, client: 2 }, '/a/y')];
      made.end(one, 'ok', { revision: 2 }).end(two, 'ok', { revision: 1 });
    });
    expect(rules).toEqual([]);
  });

  test('revision: two writes never share one', () => {
    const rules = broken((made) => {
      const [one, two] = [made.begin('create', { value: 1 }), made.begin('create', { value: 2, client: 2 }, '/a/y')];
      made.end(one, 'ok', { revision: 1 }).end(two, 'ok', { revision: 1 });
    });
    expect(rules).toEqual(['revision']);
  });

  test('order: one that ended before another began has the lower revision', () => {
    expect(broken((made) => made.create(1, 2).create(2, 1, '/a/y'))).toEqual(['order']);
    // The list had shown that revision without it.
    expect(broken((made) => made.list(5, []).create(2, 4, '/a/y'))).toEqual(['order', 'state']);
  });

  test('precondition: the replaced version was the current one', () => {
    const rules = broken((made) => {
      made.create(1, 1);
      const [one, two] = [1, 2].map((client) =>
        made.begin('update', { value: client + 1, replaced: 1, argument: 1, client }),
      );
      made.end(one ?? 0, 'ok', { revision: 2 }).end(two ?? 0, 'ok', { revision: 3 });
    });
    // Two updates of one version cannot be put in an order either.
    expect(rules).toEqual(['linearizable', 'precondition']);
  });

  test('invented: nobody sees a value that nobody wrote', () => {
    const rules = broken((made) =>
      made.end(made.begin('getNotOlderThan'), 'ok', { revision: 0, shown: [version(9, 1)] }),
    );
    expect(rules).toContain('invented');
  });

  test('of unknown outcome may take effect, at any time, or never', () => {
    const unknown = (made: HandMade): HandMade => made.end(made.begin('create', { value: 1 }), 'unknown');
    expect(broken((made) => unknown(made).get(0))).toEqual([]);
    expect(broken((made) => unknown(made).get(0).get(1, version(1, 1)))).toEqual([]);
    expect(broken((made) => unknown(made).get(1, version(1, 1)).get(1))).toEqual(['linearizable', 'state']);
  });

  test('of unknown outcome may be a delete that only watches show', () => {
    const rules = broken((made) => {
      made.create(1, 1).update(2, 2, 1, 1);
      const watch = made.watch();
      made
        .end(made.begin('delete', { replaced: 2, argument: 2 }), 'unknown')
        .create(3, 4)
        .get(4, version(3, 4));
      made.history.events(watch, [CREATED, UPDATED, DELETED, AGAIN]);
    });
    expect(rules).toEqual([]);
  });

  test('undone: one that was reported as failed has no effect', () => {
    const failed = (outcome: 'failed' | 'notFound') => (made: HandMade) => {
      made.end(made.begin('create', { value: 1 }), outcome);
      made.end(made.begin('getNotOlderThan'), 'ok', { revision: 1, shown: [version(1, 1)] });
    };
    expect(broken(failed('failed'))).toEqual(['state', 'undone']);
    expect(broken((made) => made.end(made.begin('create', { value: 1 }), 'failed').get(0))).toEqual([]);
  });

  test('refusal: it shows a version of the time of the call that forbids the write', () => {
    const refused = (shown: Parameters<typeof version>) => (made: HandMade) => {
      made.create(1, 1).update(2, 2, 1, 1);
      made.end(made.begin('update', { value: 3, replaced: 1, argument: 1 }), 'conflict', {
        shown: [version(...shown)],
      });
    };
    expect(broken(refused([2, 2, 1]))).toEqual([]);
    expect(broken(refused([2, 2, 2]))).toEqual(['refusal']);
    expect(broken(refused([1, 1]))).toEqual(['linearizable', 'refusal']);
    const absent = (made: HandMade) => made.end(made.begin('delete', { replaced: 2, argument: 2 }), 'notFound');
    expect(broken((made) => absent(made.create(1, 1).update(2, 2, 1, 1).delete(3, 2, 2)))).toEqual([]);
    expect(broken((made) => absent(made.create(1, 1).update(2, 2, 1, 1)))).toEqual(['linearizable', 'refusal']);
  });

  test('refusal: the key may have been absent for a part of the call', () => {
    const rules = broken((made) => {
      made.create(1, 1);
      const row = made.begin('update', { value: 9, replaced: 1, argument: 1, client: 2 });
      made.delete(2, 1, 1).create(2, 3).end(row, 'notFound');
    });
    expect(rules).toEqual([]);
  });
});

describe('reads', () => {
  test('stale: a consistent one shows all that was acknowledged before', () => {
    expect(broken((made) => made.create(1, 1).create(2, 2, '/a/y').get(1, version(1, 1)))).toEqual(['stale']);
    const old = (argument: number) => (made: HandMade) => {
      lives(made).end(made.begin('getNotOlderThan', { argument }), 'ok', { revision: 2, shown: [version(2, 2, 1)] });
    };
    expect(broken(old(2))).toEqual([]);
    expect(broken(old(3))).toEqual(['stale']);
  });

  test('state: one shows the state of its revision', () => {
    const at = (revision: number, value: number, created: number) => (made: HandMade) => {
      const shown = [version(value, revision, created)];
      lives(made).list(revision, shown, 0, { kind: 'listAt', argument: revision });
    };
    expect(broken(at(2, 2, 1))).toEqual([]);
    expect(broken(at(2, 2, 2))).toEqual(['state']);
    expect(broken((made) => lives(made).list(3, [version(3, 4)], 0, { kind: 'listAt', argument: 3 }))).toEqual([
      'state',
    ]);
    expect(broken((made) => lives(made).list(4, []))).toEqual(['state']);
  });

  test('state: a page shows the records after its start, and how many remain', () => {
    const page = (remaining: number, key: string) => (made: HandMade) => {
      for (const [index, each] of ['/a/1', '/a/2', '/a/3', '/a/4'].entries()) made.create(index + 1, index + 1, each);
      const shown = [version(key === '/a/2' ? 2 : 3, key === '/a/2' ? 2 : 3, undefined, key)];
      made.list(4, shown, remaining, { after: '/a/1', limit: 1 });
    };
    expect(broken(page(2, '/a/2'))).toEqual([]);
    expect(broken(page(1, '/a/2'))).toEqual(['state']);
    expect(broken(page(2, '/a/3'))).toEqual(['state']);
  });

  test('compaction: a read is refused only below the requested revision', () => {
    const compacted = (to: number) => (made: HandMade) => {
      lives(made).end(made.begin('compact', { argument: to }), 'ok');
      made.end(made.begin('listAt', { argument: 3 }), 'compacted');
    };
    expect(broken(compacted(4))).toEqual([]);
    expect(broken(compacted(3))).toEqual(['compaction']);
  });

  test('future: a read is refused only for a revision that has not been reached', () => {
    const future = (argument: number) => (made: HandMade) => {
      lives(made).end(made.begin('listAt', { argument }), 'future');
    };
    expect(broken(future(5))).toEqual([]);
    expect(broken(future(4))).toEqual(['future']);
    const shown = [version(3, 4)];
    expect(broken((made) => lives(made).list(5, shown, 0, { kind: 'listAt', argument: 5 }))).toEqual(['future']);
  });
});

describe('watches', () => {
  const watched = (from: number, receive: (made: HandMade, watch: number) => void) =>
    broken((made) => receive(lives(made), made.watch(from)));

  test('of all events keep the rules', () => {
    const rules = watched(0, ({ history }, watch) => {
      history.events(watch, [CREATED, UPDATED]);
      history.notify(watch, 'progress', 2);
      history.events(watch, [DELETED, AGAIN]);
      history.settle(watch, 4);
    });
    expect(rules).toEqual([]);
  });

  test('ordered: revisions never fall', () => {
    expect(watched(0, ({ history }, watch) => history.events(watch, [CREATED, DELETED, UPDATED]))).toEqual(['ordered']);
  });

  test('unique: no write comes twice', () => {
    expect(watched(0, ({ history }, watch) => history.events(watch, [CREATED, CREATED, UPDATED]))).toEqual(['unique']);
  });

  test('reliable: no write is missing between the first and the last', () => {
    expect(watched(0, ({ history }, watch) => history.events(watch, [CREATED, DELETED]))).toEqual(['reliable']);
  });

  test('reliable: nothing is missing at the end of the run', () => {
    const rules = watched(0, ({ history }, watch) => {
      history.events(watch, [CREATED, UPDATED]);
      history.settle(watch, 4);
    });
    expect(rules).toEqual(['reliable']);
  });

  test('atomic: the events of a revision come together', () => {
    const expired = (together: boolean) =>
      broken((made) => {
        made.create(1, 1, '/a/x').create(2, 2, '/a/y');
        const events = (['/a/x', '/a/y'] as const).map((key, index) => {
          made.end(made.begin('delete', { argument: index + 1, replaced: index + 1 }, key), 'unknown');
          const previous = { value: index + 1, revision: index + 1 };
          return { kind: 'delete' as const, ...version(index + 1, 3, index + 1, key), previous };
        });
        const watch = made.watch(2);
        if (together) made.history.events(watch, events);
        else for (const event of events) made.history.events(watch, [event]);
      });
    expect(expired(true)).toEqual([]);
    expect(expired(false)).toEqual(['atomic']);
  });

  test('resumable: after its start the next write comes first', () => {
    expect(watched(1, ({ history }, watch) => history.events(watch, [UPDATED, DELETED]))).toEqual([]);
    expect(watched(1, ({ history }, watch) => history.events(watch, [DELETED, AGAIN]))).toEqual(['resumable']);
    expect(watched(2, ({ history }, watch) => history.events(watch, [UPDATED, DELETED]))).toEqual(['resumable']);
  });

  test('resumable: it ends as compacted only below the requested revision', () => {
    const compacted = (from: number) =>
      watched(from, (made, watch) => {
        made.end(made.begin('compact', { argument: 3 }), 'ok').history.notify(watch, 'compacted', 3);
      });
    expect(compacted(2)).toEqual([]);
    expect(compacted(3)).toEqual(['resumable']);
  });

  test('bookmarkable: everything up to a bookmark precedes it', () => {
    const rules = watched(0, ({ history }, watch) => {
      history.events(watch, [CREATED]);
      history.notify(watch, 'progress', 2);
      history.events(watch, [UPDATED]);
    });
    expect(rules).toEqual(['bookmarkable']);
  });

  test.each<[string, object]>([
    ['type', { kind: 'create' }],
    ['create revision', { createRevision: 2 }],
    ['version before', { previous: undefined }],
    ['value before', { previous: { value: 1, revision: 0 } }],
  ])('event: its %s is that of the write', (_, other) => {
    const rules = watched(1, ({ history }, watch) => history.events(watch, [{ ...UPDATED, ...other }, DELETED]));
    expect(rules).toEqual(['event']);
  });

  test('event: its text contains its revision', () => {
    const rules = watched(1, ({ history }, watch) => history.events(watch, [{ ...UPDATED, value: BAD_VALUE }]));
    expect(rules).toEqual(['event', 'invented']);
  });

  test('event: nothing follows the end', () => {
    const rules = watched(0, ({ history }, watch) => {
      history.notify(watch, 'closed');
      history.events(watch, [CREATED]);
    });
    expect(rules).toEqual(['event']);
  });
});

describe('the search without revisions', () => {
  test('finds an order for calls that overlap', () => {
    const made = new HandMade();
    const create = made.begin('create', { value: 1 });
    made.get(0);
    const update = made.begin('update', { value: 2, replaced: 1, argument: 1, client: 2 });
    made
      .get(0, version(2, 2, 1))
      .end(update, 'ok')
      .end(create, 'ok');
    expect(checkLinearizable(made.history)).toEqual([]);
  });

  test('finds that a read went back, whatever the revisions say', () => {
    const made = new HandMade();
    made.create(1, 1).update(2, 2, 1, 1);
    made.end(made.begin('get'), 'ok', { revision: 3, shown: [version(1, 3)] });
    expect(checkLinearizable(made.history)).toMatchObject([{ rule: 'linearizable', row: 2 }]);
  });

  test('says when it gives up', () => {
    const made = new HandMade();
    const rows = Array.from({ length: 6 }, (_, client) => made.begin('create', { value: client + 1, client }));
    for (const row of rows) made.end(row, 'unknown');
    for (let value = 1; value <= 6; value += 1) made.get(0, version(value, 0));
    expect(checkLinearizable(made.history, 3)).toMatchObject([{ rule: 'undecided' }]);
  });

  test('takes time in proportion to the length, also with writes of unknown outcome', () => {
    const made = new HandMade();
    made.create(1, 1);
    for (let value = 2; value < 3_000; value += 1) {
      if (value % 3 === 0) made.end(made.begin('update', { value: value + 10_000, replaced: value - 1 }), 'unknown');
      made.update(value, value, value - 1, value - 1);
    }
    expect(checkLinearizable(made.history, 30_000)).toEqual([]);
  });
});

test('a report has the rules and the last events of the key', () => {
  const made = new HandMade();
  lives(made).create(9, 5, '/a/other').get(5);
  const report = reportOf(made.history, checkHistory(made.history));
  expect(report).toContain('[state] /a/x, operation 5');
  expect(report).toContain('create /a/x value 3 of 0: ok 4');
  expect(report).not.toContain('/a/other');
});
