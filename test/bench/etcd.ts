import { connect, type ClientHttp2Session } from 'node:http2';
import { ApiServer, ConfigMap, systemClock } from 'orch-apiserver';
import { openEtcdStorage } from 'orch-apiserver/storage/etcd';
import { hasEtcd, startEtcd } from './etcd-process.js';
import { interleaved, type Measure } from './measure.js';
import { benchConfigMap } from './object.mjs';

const IN_FLIGHT = 32;
const BATCH = 3_000;
const PUT = '/etcdserverpb.KV/Put';
const TXN = '/etcdserverpb.KV/Txn';

/** A field of bytes, or of a message. */
const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.of(number * 8 + 2), varint(bytes.length), bytes]);

/** A put as etcd expects it. */
const putOf = (key: string, value: Buffer): Buffer => Buffer.concat([field(1, Buffer.from(key)), field(2, value)]);

/** A put of a key that must not exist, which is read if it does: the form of every create in etcd. */
function swapOf(key: string, value: Buffer): Buffer {
  const absent = Buffer.concat([field(3, Buffer.from(key)), Buffer.of(0x20, 0)]);
  return Buffer.concat([
    field(1, absent),
    field(2, field(2, putOf(key, value))),
    field(3, field(1, field(1, Buffer.from(key)))),
  ]);
}

/** A message after the five-byte gRPC prefix. */
function frameOf(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** Only the call, with the library that the engine uses. */
function rawCall(session: ClientHttp2Session, path: string, message: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let status: unknown;
    stream.on('data', () => undefined);
    stream.on('trailers', (trailers) => {
      status = trailers['grpc-status'];
    });
    stream.on('end', () => (status === '0' ? resolve() : reject(new Error(`${path}: status ${String(status)}`))));
    stream.on('error', reject);
    stream.end(frameOf(message));
  });
}

/** Runs `one` for each number, 32 at a time. */
async function inFlight(from: number, one: (index: number) => Promise<unknown>): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < from + BATCH; index = next++) await one(index);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

async function creates(url: string): Promise<Measure[]> {
  const storage = await openEtcdStorage({ endpoints: [url], clock: systemClock, compactionInterval: 0 });
  const server = new ApiServer({ storage });
  const client = server.client().resource(ConfigMap).namespace('default');
  await client.create(benchConfigMap('subject'));
  const { record } = await storage.get('/registry/configmaps/default/subject');
  if (record === undefined) throw new Error('nothing was created');
  const value = Buffer.from(record.text);
  const session = connect(url);
  let made = 0;
  const batch = (one: (index: number) => Promise<unknown>) => async (): Promise<void> => {
    await inFlight(made, one);
    made += BATCH;
  };
  const costs = await interleaved(7, {
    raw: batch((index) => rawCall(session, PUT, putOf(`/raw/${index}`, value))),
    swap: batch((index) => rawCall(session, TXN, swapOf(`/swapped/${index}`, value))),
    engine: batch((index) => storage.create(`/registry/made/${index}`, () => record.text)),
    server: batch((index) => client.create(benchConfigMap(`made-${index}`))),
  });
  session.close();
  await server.close();
  const rate = (cost: { wallUs: number }): number => (BATCH * 1e6) / cost.wallUs;
  const against = (cost: { wallUs: number }, floor: { wallUs: number } = costs.raw): string =>
    `${Math.round(rate(cost))} a second against ${Math.round(rate(floor))}`;
  return [
    {
      name: 'etcd: creates, 32 in flight, over raw puts of the same bytes',
      value: rate(costs.engine) / rate(costs.raw),
      unit: '×',
      target: { sense: '>=', value: 0.7 },
      detail: against(costs.engine),
    },
    {
      name: 'etcd: raw compare-and-swap transactions, which creates are, over the same',
      value: rate(costs.swap) / rate(costs.raw),
      unit: '×',
      target: undefined,
      detail: against(costs.swap),
    },
    {
      name: 'etcd: creates, over raw compare-and-swap transactions of the same bytes',
      value: rate(costs.engine) / rate(costs.swap),
      unit: '×',
      target: undefined,
      detail: against(costs.engine, costs.swap),
    },
    {
      name: 'etcd: creates through a server, over raw puts',
      value: rate(costs.server) / rate(costs.raw),
      unit: '×',
      target: undefined,
      detail: against(costs.server),
    },
  ];
}

/** The engine on a real etcd; nothing if none is installed. */
export async function etcd(): Promise<Measure[]> {
  if (!hasEtcd()) {
    console.log('etcd is not installed: its engine is not measured');
    return [];
  }
  const { url, stop } = await startEtcd();
  try {
    return await creates(url);
  } finally {
    await stop();
  }
}
