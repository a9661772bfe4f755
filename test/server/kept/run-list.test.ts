/** Lists are assembled from runs of items: what they contain never depends on which runs are kept. */
import { describe, expect, test } from 'vitest';
import { UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { CHUNK_BYTES } from '../../../src/server/requests/http.js';
import { KeptEncodings } from '../../../src/server/kept/kept-encodings.js';
import type { KeptForm } from '../../../src/server/kept/kept-form.js';
import { chunksOf } from '../../../src/server/responses/long-body.js';
import { RunList } from '../../../src/server/kept/run-list.js';
import { MemoryBudget } from '../../../src/storage/memory-budget.js';
import { createManualClock } from '../../../src/entries/testing.js';
import type { StorageRecord } from '../../../src/storage/storage.js';

const AMPLE = 64 << 20;

/** A list of which the runs are kept, and a count of the items that were encoded for it. */
class World {
  readonly budget = new MemoryBudget();
  readonly encodings: KeptEncodings;
  readonly form: KeptForm;
  encoded = 0;
  /** Called before each encoding. */
  meanwhile: () => void = () => undefined;
  #revision = 0;

  constructor(limitBytes = AMPLE) {
    this.encodings = new KeptEncodings(limitBytes, this.budget, createManualClock());
    this.form = this.encodings.form({}, '');
    this.form.countRequest();
    this.form.countRequest();
  }

  /** A version of an object with a text of about this length. */
  write(length = 1_000): StorageRecord {
    this.#revision += 1;
    return {
      key: '/r/x',
      text: `${this.#revision}:${'x'.repeat(length)}`,
      modRevision: this.#revision,
      createRevision: 1,
      decoded: undefined,
    };
  }

  records(count: number): StorageRecord[] {
    return Array.from({ length: count }, () => this.write());
  }

  /** Requests a list, and checks its bytes. @returns its chunks */
  async list(records: readonly StorageRecord[], asBytes = false): Promise<readonly Uint8Array[]> {
    const list = new RunList({
      ...{ records, form: this.form, kind: 'items', work: UNBOUNDED_WORK, before: '{', after: ',' },
      unitsOf: () => 1,
      encode: ({ text }) => {
        this.meanwhile();
        this.encoded += 1;
        return asBytes ? Buffer.from(text) : text;
      },
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of chunksOf(UNBOUNDED_WORK, list)) chunks.push(chunk);
    const expected = records.map(({ text }) => `{${text},`).join('');
    expect(Buffer.concat(chunks).toString('latin1') === expected).toBe(true);
    expect(this.encodings.usedBytes).toBeLessThanOrEqual(this.encodings.limitBytes);
    expect(this.budget.usedFor('encodings')).toBe(this.encodings.usedBytes);
    return chunks;
  }

  /** Returns how many items are encoded for a list. */
  async encodedFor(records: readonly StorageRecord[]): Promise<number> {
    this.encoded = 0;
    await this.list(records);
    return this.encoded;
  }
}

describe('runs', () => {
  test.each([false, true])('are shared by the answers (items as bytes: %s)', async (asBytes) => {
    const world = new World();
    const records = world.records(1_000);
    const first = await world.list(records, asBytes);
    expect(first.length).toBeGreaterThan(3);
    const again = await world.list(records, asBytes);
    expect(again.length).toBe(first.length);
    expect(again.every((chunk, index) => chunk === first[index])).toBe(true);
    expect(world.encoded).toBe(1_000);
  });

  test('count their bytes once, and the places of their items', async () => {
    const world = new World();
    const records = world.records(1_000);
    const bytes = (await world.list(records)).reduce((sum, { length }) => sum + length, 0);
    expect(world.encodings.usedBytes).toBeGreaterThan(bytes);
    expect(world.encodings.usedBytes).toBeLessThan(1.25 * bytes);
  });

  test('are copied, not encoded, when one of their items was written, deleted or added', async () => {
    const world = new World();
    const records = world.records(2_000);
    await world.list(records);
    const [before, count] = [world.encodings.usedBytes, world.encodings.size];
    records[700] = world.write();
    expect(await world.encodedFor(records)).toBe(1);
    records.splice(900, 1);
    expect(await world.encodedFor(records)).toBe(0);
    records.splice(1_200, 0, world.write());
    expect(await world.encodedFor(records)).toBe(1);
    // The former runs are gone, also from the memory that is counted.
    expect(Math.abs(world.encodings.usedBytes - before)).toBeLessThan(0.1 * before);
    expect(world.encodings.size).toBe(count);
  });

  test('stay long while objects are added at the end, one by one', async () => {
    const world = new World();
    const records = world.records(300);
    await world.list(records);
    for (let added = 0; added < 400; added += 1) {
      records.push(world.write());
      expect(await world.encodedFor(records)).toBe(1);
    }
    // Each but the last has a quarter of the usual length at least.
    const length = records.reduce((sum, { text }) => sum + text.length + 2, 0);
    expect(world.encodings.size).toBeLessThanOrEqual(1 + (4 * length) / CHUNK_BYTES);
  });

  test('stay as they are when a list has only some of their items at its ends', async () => {
    const world = new World();
    const records = world.records(2_000);
    const chunks = await world.list(records);
    expect(await world.encodedFor(records.slice(100, 1_100))).toBe(0);
    const again = await world.list(records);
    expect(again.every((chunk, index) => chunk === chunks[index])).toBe(true);
  });

  test('may be dropped while a list is assembled', async () => {
    const world = new World();
    const records = world.records(2_000);
    await world.list(records);
    records[700] = world.write();
    world.meanwhile = () => {
      world.encodings.shrink(Infinity);
    };
    await world.list(records);
    world.meanwhile = () => undefined;
    await world.list(records);
    expect(await world.encodedFor(records)).toBe(0);
  });

  test('hold an item that is longer than a run', async () => {
    const world = new World();
    const records = [world.write(10), world.write(2 * CHUNK_BYTES), world.write(10)];
    await world.list(records);
    expect(await world.encodedFor(records)).toBe(0);
  });

  test('are not kept of records that were never stored, nor beyond the limit', async () => {
    const world = new World();
    const never = world.records(300).map((record) => ({ ...record, modRevision: 0 }));
    await world.list(never);
    expect(await world.encodedFor(never)).toBe(300);
    const small = new World(1 << 20);
    const records = small.records(3_000);
    for (let request = 0; request < 20; request += 1) await small.list(records);
    const encoded = await small.encodedFor(records);
    expect(encoded).toBeGreaterThan(1_500);
    expect(encoded).toBeLessThan(2_600);
  });

  test.each([1, 2, 3])('make no difference after any writes (seed %i)', async (seed) => {
    const world = new World(seed === 3 ? 700_000 : AMPLE);
    let state = seed;
    const below = (limit: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * limit);
    };
    const records = world.records(1_500);
    await world.list(records);
    for (let round = 0; round < 60; round += 1) {
      let written = 0;
      for (let writes = below(below(10) === 0 ? 500 : 8); writes > 0; writes -= 1) {
        const at = below(records.length);
        const kind = below(3);
        const added = kind === 0 ? [] : [world.write(below(4) === 0 ? below(20_000) : 1_000)];
        records.splice(at, kind === 2 ? 0 : 1, ...added);
        written += added.length;
      }
      const from = below(3) === 0 ? below(700) : 0;
      const encoded = await world.encodedFor(records.slice(from, below(3) === 0 ? from + 300 + below(500) : undefined));
      if (seed === 3) continue;
      // Whatever an earlier list left out is encoded by the next one that has it.
      await world.list(records);
      expect(encoded).toBeLessThanOrEqual(written);
      expect(await world.encodedFor(records)).toBe(0);
    }
  });
});
