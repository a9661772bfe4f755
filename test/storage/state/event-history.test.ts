import { describe, expect, it } from 'vitest';
import { EventHistory } from '../../../src/storage/state/history/event-history.js';
import { createEvent } from '../../../src/storage/state/records/record.js';

describe('the number of events after a revision', () => {
  it('is that of the events returned, also where revisions have none or several, and after events are dropped', () => {
    const history = new EventHistory({ historyMs: 1_000, maxEvents: 100, maxBytes: undefined });
    for (const revision of [2, 3, 3, 3, 5, 8, 8])
      history.append(createEvent(`/a/${revision}`, '', revision, undefined), 0);
    const expectSame = (from: number): void => {
      for (let revision = from; revision < 10; revision += 1)
        expect([revision, history.countAfter(revision)]).toEqual([revision, history.after(revision, Infinity).length]);
    };
    expectSame(1);
    expect(history.countAfter(2)).toBe(6);
    history.compact(3);
    expectSame(3);
    expect(history.countAfter(3)).toBe(3);
  });
});
