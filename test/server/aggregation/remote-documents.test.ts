/** Documents of other servers that are made to harm this one: what they cost, in turns and in bytes. */
import { expect, test } from 'vitest';
import { kubernetes } from '../../../src/entries/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { nextTurn } from '../../../src/foundation/async/turn.js';
import type { HttpClient, Logger } from '../../../src/foundation/index.js';
import { RemoteDiscovery } from '../../../src/server/aggregation/remote-discovery.js';
import type { RemoteService } from '../../../src/server/aggregation/remote-services.js';
import { MemoryBudget } from '../../../src/storage/index.js';
import { turnsDuring } from '../../support/turns.js';

const MIB = 2 ** 20;
/** Turns after which a read is given up. */
const MOST_TURNS = 20_000;
const service: RemoteService = {
  ...{ name: 'v1.ships.example.com', group: 'ships.example.com', version: 'v1' },
  ...{ groupPriority: 1000, versionPriority: 15 },
  service: { namespace: 'default', name: 'ships', port: 443 },
  tls: {},
  isAvailable: true,
};

/** Follows a server whose documents are all the same. */
function follow(text: string, memoryBytes = 64 * MIB) {
  let body = new TextEncoder().encode(text);
  const budget = new MemoryBudget({ memoryBytes, historyBytes: 0 });
  const reasons: string[] = [];
  let mostReserved = 0;
  const http: HttpClient = async ({ onChunk }) => {
    onChunk?.(body.length);
    mostReserved = Math.max(mostReserved, budget.usedFor('bodies'));
    return { status: 200, header: () => undefined, body };
  };
  const logger: Logger = {
    ...{ debug: () => undefined, warn: () => undefined, error: () => undefined },
    info: (_message, fields) => void reasons.push(String(fields?.['reason'])),
  };
  const discovery = new RemoteDiscovery({
    ...{ http, logger, memory: budget, dialect: kubernetes, clock: createManualClock() },
    findService: () => Promise.resolve(new URL('https://ships')),
    identity: () => ({ certificate: '', key: '' }),
  });
  /** Reads the documents, which are taken or refused. */
  const read = async (): Promise<void> => {
    const refused = reasons.length;
    discovery.set(service);
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      await nextTurn();
      const isRead = discovery.versions[0]?.isCurrent === true || reasons.length > refused;
      if (isRead && budget.usedFor('bodies') === 0) return;
    }
    throw new Error('the documents are neither taken nor refused');
  };
  const serve = (next: string): void => void (body = new TextEncoder().encode(next));
  return { discovery, budget, reasons, read, serve, mostReserved: () => mostReserved };
}

const list = (entries: readonly object[]): string =>
  JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', resources: entries });
const subresources = (count: number): object[] => [
  { name: 'ships', singularName: 'ship', kind: 'Ship', namespaced: true, verbs: ['get'] },
  ...Array.from({ length: count }, (_, index) => ({ name: `ships/s${index}`, kind: 'Ship', verbs: ['get'] })),
];

test('are decoded in slices, with their memory reserved before it is made', async () => {
  const text = list(subresources(4_000));
  const { discovery, budget, read, mostReserved } = follow(text);
  expect(await turnsDuring(read)).toBeGreaterThan(20);
  const [version] = discovery.versions;
  expect(version?.resources).toMatchObject([{ resource: 'ships' }]);
  expect((version?.resources[0] as { subresources: object[] }).subresources).toHaveLength(4_000);
  expect(mostReserved()).toBeGreaterThanOrEqual(2 * text.length);
  // The kept documents count until the APIService is gone.
  expect(budget.usedFor('objects')).toBeGreaterThan(text.length);
  discovery.delete(service.name);
  expect([budget.usedFor('objects'), budget.usedFor('bodies')]).toEqual([0, 0]);
});

test.each([
  ['of very many lists', `{"resources":[${'[],'.repeat(25_000)}[]]}`, 64 * MIB, /20000 objects and lists/],
  ['that do not fit into the memory budget', list(subresources(4_000)), MIB / 4, /memory budget/],
  ['of which too much would be kept', list(subresources(4_000)), 8 * MIB, /take more than 524288 bytes/],
])('%s are not taken', async (_name, text, memoryBytes, reason) => {
  const { discovery, budget, reasons, read, serve } = follow(list(subresources(1)), memoryBytes);
  await read();
  const kept = budget.usedFor('objects');
  serve(text);
  const before = discovery.versions[0]?.resources;
  discovery.set(service);
  for (let turn = 0; turn < MOST_TURNS && reasons.length === 0; turn += 1) await nextTurn();
  expect(reasons).toEqual([expect.stringMatching(reason)]);
  // The former knowledge of the server stays.
  expect(discovery.versions).toMatchObject([{ resources: before, isCurrent: false }]);
  expect([budget.usedFor('bodies'), budget.usedFor('objects')]).toEqual([0, kept]);
});
