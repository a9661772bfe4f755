import { describe, expect, it } from 'vitest';
import { watchReloadedFile, type ReloadedFileOptions } from '../../src/foundation/host/reloaded-file.js';
import { createManualClock } from '../../src/testing/time/manual-clock.js';

/** A file that the test writes, and the effects of its watch. */
function watched(overrides: Partial<ReloadedFileOptions<string>> = {}) {
  const clock = createManualClock();
  const events: string[] = [];
  const file = { text: 'one', reads: 0 };
  let notify: (() => void) | undefined;
  const watch = watchReloadedFile<string>({
    name: 'example config',
    text: 'one',
    read: () => {
      file.reads += 1;
      return file.text;
    },
    load: (text) => {
      if (text.startsWith('bad')) throw new Error(`cannot load ${text}`);
      return text;
    },
    validate: (text) => {
      if (text.startsWith('wrong')) throw new Error(`${text} is wrong`);
    },
    apply: (text) => void events.push(`apply ${text}`),
    onChange: (changed) => {
      notify = changed;
      return () => void events.push('unsubscribed');
    },
    clock,
    log: {
      info: (message) => void events.push(message),
      error: (message, fields) => void events.push(`${message}: ${String(fields?.['error'])}`),
    },
    metrics: {
      reloaded: (success, at) => void events.push(`${success ? 'success' : 'failure'} at ${at - 1_704_067_200}`),
    },
    ...overrides,
  });
  return { clock, events, file, watch, change: () => notify?.() };
}

describe('watchReloadedFile', () => {
  it('applies a change within a minute', async () => {
    const { clock, events, file } = watched();
    file.text = 'two';
    await clock.advance(59_999);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events).toEqual(['apply two', 'reloaded example config', 'success at 60']);
    await clock.advance(600_000);
    expect(events).toHaveLength(3);
    expect(file.reads).toBe(11);
  });

  it('applies it at once after a notification', async () => {
    const { clock, events, file, change } = watched();
    file.text = 'two';
    change();
    await clock.settle();
    expect(events).toEqual(['apply two', 'reloaded example config', 'success at 0']);
  });

  it('ignores an unchanged file', async () => {
    const { events, watch } = watched();
    await watch.check();
    expect(events).toEqual([]);
  });

  it.each([
    ['cannot be loaded', 'bad', 'failed to load example config: cannot load bad'],
    ['is not valid', 'wrong', 'failed to validate example config: wrong is wrong'],
  ])(
    'keeps the current configuration if the new text %s, reports that once, and applies the next valid one',
    async (_name, text, message) => {
      const { clock, events, file } = watched();
      file.text = text;
      await clock.advance(180_000);
      expect(events).toEqual([message, 'failure at 60']);
      file.text = 'two';
      await clock.advance(60_000);
      expect(events.slice(2)).toEqual(['apply two', 'reloaded example config', 'success at 240']);
    },
  );

  it('returns to the current text silently, and does not retry an invalid text', async () => {
    const { clock, events, file } = watched();
    file.text = 'bad';
    await clock.advance(60_000);
    file.text = 'one';
    await clock.advance(60_000);
    expect(events.slice(2)).toEqual(['apply one', 'reloaded example config', 'success at 120']);
  });

  it('retries to read an unreadable file', async () => {
    const problems = ['no such file', 'no such file'];
    const { clock, events } = watched({
      read: () => {
        const problem = problems.shift();
        if (problem !== undefined) throw new Error(problem);
        return 'two';
      },
    });
    await clock.advance(180_000);
    expect(events).toEqual([
      'failed to read example config file: no such file',
      'failure at 60',
      'failed to read example config file: no such file',
      'failure at 120',
      'apply two',
      'reloaded example config',
      'success at 180',
    ]);
  });

  it('retries to apply a text after a failure', async () => {
    let failures = 1;
    const { clock, events, file } = watched({
      apply: () => {
        failures -= 1;
        if (failures >= 0) throw new Error('the provider does not answer');
      },
    });
    file.text = 'two';
    await clock.advance(120_000);
    expect(events).toEqual([
      'failed to update example config: the provider does not answer',
      'failure at 60',
      'reloaded example config',
      'success at 120',
    ]);
  });

  it('aborts the application of a configuration after a minute', async () => {
    const { clock, events, file, change } = watched({
      apply: (_text, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    file.text = 'two';
    change();
    await clock.advance(60_000);
    expect(events.slice(0, 2)).toEqual([
      'failed to update example config: it took longer than 60000 ms',
      'failure at 60',
    ]);
  });

  it('reads once for all notifications during a read, and never concurrently', async () => {
    let running = 0;
    let most = 0;
    const releases: (() => void)[] = [];
    const { clock, events, file, change, watch } = watched({
      apply: async (text) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => releases.push(resolve));
        running -= 1;
        events.push(`applied ${text}`);
      },
    });
    file.text = 'two';
    change();
    await clock.settle();
    file.text = 'three';
    change();
    change();
    const through = watch.check();
    releases.shift()?.();
    await clock.settle();
    releases.shift()?.();
    await through;
    expect(events.filter((event) => event.startsWith('applied'))).toEqual(['applied two', 'applied three']);
    expect({ most, reads: file.reads }).toEqual({ most: 1, reads: 2 });
  });

  it('rejects a text that is too long', async () => {
    const { events, file, watch } = watched({ maxLength: 3 });
    file.text = 'four';
    await watch.check();
    expect(events).toEqual([
      'failed to read example config file: the file is longer than 3 characters',
      'failure at 0',
    ]);
  });

  it('does nothing once it is closed', async () => {
    const { clock, events, file, watch, change } = watched();
    file.text = 'two';
    watch.close();
    change();
    await watch.check();
    await clock.advance(600_000);
    expect({ events, reads: file.reads, pending: clock.pending }).toEqual({
      events: ['unsubscribed'],
      reads: 0,
      pending: 0,
    });
  });

  it('aborts an application silently when it is closed', async () => {
    const { clock, events, file, watch, change } = watched({
      apply: (_text, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    file.text = 'two';
    change();
    await clock.settle();
    watch.close();
    await clock.settle();
    expect({ events, pending: clock.pending }).toEqual({ events: ['unsubscribed'], pending: 0 });
  });
});
