/** Long events on their way to the backends: in slices, and without other lines between their parts. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigMap } from '../../../src/entries/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { AuditRecord, logDelivery, sinkDelivery, type AuditEvent } from '../../../src/security/audit/index.js';
import { auditFile } from '../../../src/transport/node/audit-file.js';
import { turnsDuring } from '../../support/turns.js';
import { auditWorld, EVERYTHING } from './audit-world.js';

const MEBI = 1024 * 1024;

const recordOf = (
  auditID: string,
  length = 0,
  body: readonly string[] = ['{"a":"', ...Array<string>(16).fill('x'.repeat(length / 16)), '"}'],
): AuditRecord =>
  new AuditRecord(
    {
      ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'RequestResponse', auditID, stage: 'ResponseComplete' },
      ...{ requestURI: '/version', verb: 'get', user: { username: 'alice' } },
      ...{ requestReceivedTimestamp: '2024-01-01T00:00:00.000000Z', stageTimestamp: '2024-01-01T00:00:00.000000Z' },
    },
    length === 0 ? {} : { responseObject: body },
  );

function newFile(maxSizeMegabytes?: number) {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = auditFile({ path: join(folder, 'audit.log'), maxSizeMegabytes, clock: createManualClock() });
  onTestFinished(() => file.close());
  const files = (): string[] => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return { file, files };
}

const idsIn = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as AuditEvent).auditID);

test('a log makes the bytes of long events in several turns, writes short ones meanwhile, and keeps lines apart', async () => {
  const { file, files } = newFile();
  const deliver = logDelivery({ output: file });
  const turns = await turnsDuring(async () => {
    const long = ['a', 'b'].map((id) => deliver([recordOf(id, 8 * MEBI)]));
    expect(deliver([recordOf('c')]), 'written at once').toBeUndefined();
    await Promise.all([...long, deliver([recordOf('d'), recordOf('e', MEBI), recordOf('f')])]);
  });
  expect(turns).toBeGreaterThan(20);
  const ids = idsIn(files().join(''));
  expect([...ids].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(ids[0]).toBe('c');
  expect(ids.filter((id) => 'def'.includes(id)).join('')).toBe('def');
});

test('a line that comes while a long one is written waits for it, and a failure of one is not one of the other', async () => {
  const steps: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const deliver = logDelivery({
    output: {
      write: (lines) => void steps.push(...idsIn(lines)),
      writeLong: async (line) => {
        steps.push('begin');
        await held;
        steps.push(...idsIn(Buffer.from(line).toString()));
        throw new Error('full');
      },
    },
  });
  const long = Promise.resolve(deliver([recordOf('a', MEBI)])).catch((error: unknown) => steps.push(String(error)));
  await expect.poll(() => steps).toEqual(['begin']);
  const short = deliver([recordOf('b')]);
  release();
  await Promise.all([long, short]);
  expect(steps.slice(0, 2)).toEqual(['begin', 'a']);
  expect(steps.slice(2).sort()).toEqual(['Error: full', 'b']);
  expect(deliver([recordOf('c')])).toBeUndefined();
});

test('an output that takes texts gets a long event as a text', async () => {
  const written: string[] = [];
  const record = recordOf('a', MEBI);
  await logDelivery({ output: { write: (lines) => void written.push(lines) } })([record]);
  expect(written).toEqual([`${record.text}\n`]);
});

test('a file that is rotated while a long line is written has the line as a whole, and closes it then', async () => {
  const { file, files } = newFile(2);
  const line = Buffer.from(`${'x'.repeat(1.5 * MEBI)}\n`);
  const writing = file.writeLong(line);
  file.rotate();
  file.write('short\n');
  await writing;
  await file.writeLong(line);
  await file.writeLong(line);
  expect(
    files()
      .map(({ length }) => length)
      .sort((a, b) => a - b),
  ).toEqual([line.length, line.length, line.length + 6]);
});

test('a sink gets long events, which are decoded in several turns', async () => {
  const got: AuditEvent[] = [];
  const deliver = sinkDelivery({ write: (events) => void got.push(...events) }, createManualClock());
  const list = ['{"items":[', '{"a":"b"},'.repeat(100_000), '{}]}'];
  const records = [recordOf('a'), recordOf('b', MEBI, list)];
  const turns = await turnsDuring(() => deliver(records));
  expect(turns).toBeGreaterThan(3);
  expect(got).toEqual(records.map((record) => record.event()));
});

test('the answer of a call in the process is recorded in several turns when it is large', async () => {
  const world = await auditWorld(EVERYTHING);
  onTestFinished(() => world.close());
  const maps = world.server.client({ user: { username: 'alice', groups: ['system:masters'] } }).resource(ConfigMap);
  const data = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key-${index}`, 'é']));
  for (const name of ['a', 'b', 'c', 'd']) await maps.namespace('default').create({ metadata: { name }, data });
  await world.taken();
  const turns = await turnsDuring(() => maps.namespace('default').list());
  expect(turns).toBeGreaterThan(5);
  const [, event] = await world.taken();
  const items = (event?.responseObject?.['items'] ?? []) as readonly { readonly data: unknown }[];
  expect(items.map((item) => item.data)).toEqual([data, data, data, data]);
});
