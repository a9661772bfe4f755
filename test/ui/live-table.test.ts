import { describe, expect, test } from 'vitest';
import { toFetchHandler } from '../../src/entries/fetch.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { Api } from '../../src/ui/web/data/api.js';
import { LiveTable } from '../../src/ui/web/data/live-table.js';
import { Session } from '../../src/ui/web/data/session.js';
import { StillClock, TestTab } from './still.js';

/** How often the server was asked for pages of lists, and for watches, of which some are open. */
interface Counts {
  lists: number;
  watches: number;
  open: number;
}

/** The table of the config maps of a server, with a watch whose events the test sends. */
class Watched {
  readonly clock = new StillClock();
  readonly tab = new TestTab(this.clock);
  readonly table: LiveTable;
  drawings = 0;
  readonly #counts: Counts;
  readonly #running: Promise<void>;
  readonly #send: (text: string) => void;

  private constructor(api: Api, counts: Counts, send: (text: string) => void) {
    this.#counts = counts;
    this.#send = send;
    const target = { path: 'api/v1/namespaces/default/configmaps', labels: '', fields: '' };
    this.table = new LiveTable(api, target, { clock: this.clock, sight: this.tab.sight }, () => (this.drawings += 1));
    this.#running = this.table.run();
  }

  /** How often the server was asked for pages of a list. */
  get lists(): number {
    return this.#counts.lists;
  }

  /** How many watches were begun, and how many of them are open. */
  get watches(): readonly [begun: number, open: number] {
    return [this.#counts.watches, this.#counts.open];
  }

  static async open(server: TestServer): Promise<Watched> {
    const handle = toFetchHandler(server.server);
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const encoder = new TextEncoder();
    const counts: Counts = { lists: 0, watches: 0, open: 0 };
    const fetcher: typeof fetch = async (to, init) => {
      const url = new URL(String(to));
      if (/limit=(?!1(?:&|$))/.test(url.search)) counts.lists += 1;
      if (!url.searchParams.has('watch')) return handle(new Request(url, init));
      const stream = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
      counts.watches += 1;
      counts.open += 1;
      init?.signal?.addEventListener('abort', () => {
        counts.open -= 1;
        controller?.error(new DOMException('ended', 'AbortError'));
      });
      return new Response(stream);
    };
    const kept = new Map<string, string>();
    const session = new Session({
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    });
    session.signIn({ by: 'token', token: 'admin' });
    const api = await Api.open(new URL('https://host/'), session, fetcher);
    const watched = new Watched(api, counts, (text) => controller?.enqueue(encoder.encode(text)));
    await expect.poll(() => watched.table.liveness.is).toBe('live');
    watched.clock.advance(1000);
    return watched;
  }

  /** Sends changes, and waits until the table has read them. */
  async change(count: number): Promise<void> {
    const size = this.table.size;
    const event = (index: number): string => {
      const name = `m-${size + index}`;
      const object = { metadata: { name, uid: name, namespace: 'default', resourceVersion: '1' } };
      return `${JSON.stringify({ type: 'ADDED', object: { rows: [{ cells: [name, 0, '1s'], object }] } })}\n`;
    };
    this.#send(Array.from({ length: count }, (_, index) => event(index)).join(''));
    await expect.poll(() => this.table.size).toBe(size + count);
  }

  async close(): Promise<void> {
    this.table.close();
    await this.#running;
  }
}

describe('a table', () => {
  const tokens = [{ token: 'admin', user: { username: 'alice', groups: ['system:masters'] } }];
  const start = () => startTestServer({ dialect: 'kubernetes', authentication: { tokens } });

  test.each([
    ['more changes come at once than it draws', 20_001, 100, 200_010],
    ['it is drawn too late for the changes that come', 1001, 2101, 476],
  ])('says that it is behind when %s, and then lists again', async (_, changes, passedMs, perSecond) => {
    await using server = await start();
    const watched = await Watched.open(server);
    const { table, clock } = watched;
    const before = table.size;
    await watched.change(changes);
    clock.advance(passedMs);
    expect([table.liveness, watched.lists]).toEqual([{ is: 'behind', perSecond }, 1]);
    // It rests before it reads again.
    clock.advance(1000);
    expect(table.liveness.is).toBe('behind');
    await expect
      .poll(() => {
        clock.advance(100);
        return table.liveness.is;
      })
      .toBe('live');
    expect(watched.lists).toBe(2);
    await expect
      .poll(() => {
        clock.advance(1000);
        return table.size;
      })
      .toBe(before);
    await watched.close();
  });

  test('is not behind for a late drawing of few changes, or in time for many', async () => {
    await using server = await start();
    const watched = await Watched.open(server);
    await watched.change(1000);
    watched.clock.advance(10_000);
    await watched.change(20_000);
    watched.clock.advance(100);
    expect([watched.table.liveness.is, watched.lists]).toEqual(['live', 1]);
    await watched.close();
  });

  test('that nobody sees is not drawn, and is drawn once when it is seen again', async () => {
    await using server = await start();
    const watched = await Watched.open(server);
    const { table, clock, tab } = watched;
    const before = watched.drawings;
    await watched.change(1);
    tab.hide();
    clock.advance(100);
    await watched.change(30_000);
    clock.advance(60_000);
    expect([watched.drawings, table.liveness.is]).toEqual([before, 'live']);
    tab.show();
    clock.advance(100);
    clock.advance(10_000);
    expect([watched.drawings, table.liveness.is, watched.lists]).toEqual([before + 1, 'live', 1]);
    // Without changes meanwhile, nothing is drawn.
    tab.hide();
    tab.show();
    clock.advance(1000);
    expect(watched.drawings).toBe(before + 1);
    await watched.close();
  });

  test('gives up its watch when nobody has seen it for five minutes, and goes on where it was when it is seen again', async () => {
    await using server = await start();
    const watched = await Watched.open(server);
    const { table, clock, tab } = watched;
    await watched.change(3);
    clock.advance(100);
    const rows = [...table.byUid.values()];
    const before = watched.drawings;
    tab.hide();
    clock.advance(299_000);
    expect([watched.watches, table.liveness.is]).toEqual([[1, 1], 'live']);
    clock.advance(1000);
    await expect.poll(() => table.liveness.is).toBe('lost');
    clock.advance(3_600_000);
    expect([watched.watches, watched.drawings]).toEqual([[1, 0], before]);
    tab.show();
    // It says that it is not live before it is.
    expect(table.liveness).toMatchObject({ is: 'lost', loss: { since: 301_100, nextAt: undefined } });
    await expect.poll(() => table.liveness.is).toBe('live');
    clock.advance(100);
    expect([watched.watches, watched.drawings]).toEqual([[2, 1], before + 1]);
    await watched.change(1);
    expect([...table.byUid.values()].slice(0, rows.length)).toEqual(rows);
    expect(watched.lists).toBe(1);
    await watched.close();
    expect(watched.watches).toEqual([2, 0]);
  });
});
