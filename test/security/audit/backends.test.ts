import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  AuditRecord,
  deliveryOf,
  legacyLine,
  logDelivery,
  makeBackend,
  sinkDefaults,
  sinkDelivery,
  webhookDefaults,
  webhookDelivery,
  type AuditBackend,
  type AuditBatchOptions,
  type AuditDeliveryOptions,
  type AuditEvent,
  type DeliverEvents,
} from '../../../src/security/audit/index.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { webhookPost } from '../../../src/foundation/outbound/index.js';
import { createManualClock, seededEntropy, type ManualClock } from '../../../src/entries/testing.js';
import { createServingCertificate, nodeHttpClient } from '../../../src/transport/node/index.js';

const recordOf = (auditID: string, requestObject?: string): AuditRecord =>
  new AuditRecord(
    {
      ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Request', auditID, stage: 'ResponseComplete' },
      ...{ requestURI: '/version', verb: 'get', user: { username: 'alice' } },
      ...{ requestReceivedTimestamp: '2024-01-01T00:00:00.000000Z', stageTimestamp: '2024-01-01T00:00:00.000000Z' },
    },
    requestObject === undefined ? {} : { requestObject },
  );

interface Made {
  readonly clock: ManualClock;
  readonly backend: AuditBackend;
  readonly lost: string[];
}

function make(deliver: DeliverEvents, options: AuditDeliveryOptions): Made {
  const clock = createManualClock();
  const lost: string[] = [];
  const parts = {
    name: 'x',
    clock,
    dialect: kubernetes,
    lost: (count: number, why: string) => void lost.push(`${count} ${why}`),
  };
  return {
    clock,
    lost,
    backend: makeBackend(deliver, deliveryOf(options, { ...webhookDefaults, throttled: false }), parts),
  };
}

/** A batching backend, with the ids of its batches. */
function batching(batch: AuditBatchOptions, options: AuditDeliveryOptions = {}): Made & { readonly batches: string[] } {
  const batches: string[] = [];
  const made = make((records) => void batches.push(records.map(({ fields }) => fields.auditID).join('')), {
    ...options,
    batch,
  });
  return { ...made, batches };
}

const take = ({ backend }: Made, ids: string): void => {
  for (const id of ids) expect(backend.take(recordOf(id))).toBe(true);
};

describe('batches', () => {
  test('are written when they are full, or have waited', async () => {
    const made = batching({ maxSize: 3, maxWait: 1000 });
    take(made, 'ab');
    await made.clock.advance(999);
    expect(made.batches).toEqual([]);
    await made.clock.advance(1);
    expect(made.batches).toEqual(['ab']);
    take(made, 'cdefg');
    await made.clock.settle();
    expect(made.batches, 'the rest waits').toEqual(['ab', 'cde']);
    await made.clock.advance(1000);
    expect(made.batches).toEqual(['ab', 'cde', 'fg']);
    expect(made.clock.pending).toBe(0);
  });

  test('without a wait have what one step has written', async () => {
    const made = batching({ maxSize: 10, maxWait: 0 });
    take(made, 'abc');
    await made.clock.settle();
    take(made, 'd');
    await made.clock.settle();
    expect(made.batches).toEqual(['abc', 'd']);
  });

  test('have a rate', async () => {
    const made = batching({ maxSize: 1, maxWait: 0, throttle: { qps: 10, burst: 2 } });
    take(made, 'abcd');
    await made.clock.settle();
    expect(made.batches).toEqual(['a', 'b']);
    await made.clock.advance(100);
    expect(made.batches).toEqual(['a', 'b', 'c']);
    await made.clock.advance(100);
    expect(made.batches).toEqual(['a', 'b', 'c', 'd']);
  });

  test('are all written on close, without waiting for the rate', async () => {
    const made = batching({ maxSize: 2, maxWait: 60_000, throttle: { qps: 1, burst: 1 } });
    take(made, 'abcde');
    await made.clock.settle();
    await made.backend.close();
    expect(made.batches).toEqual(['ab', 'cd', 'e']);
    take(made, 'f');
    expect(made.lost).toEqual(['1 the audit log is closed']);
  });

  test('events beyond the number or the memory of the buffer are lost', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const made = make(() => held, { batch: { bufferSize: 3, maxSize: 1, maxWait: 0 } });
    take(made, 'abcd');
    await made.clock.settle();
    take(made, 'e');
    expect(made.lost, 'those that are being written count').toEqual(
      Array(2).fill('1 the buffer of audit events is full'),
    );
    release();
    await made.clock.settle();
    take(made, 'f');
    expect(made.lost.length).toBe(2);

    const small = batching({ bufferBytes: 5000, maxSize: 100, maxWait: 1000 });
    void small.backend.take(recordOf('a', JSON.stringify('x'.repeat(10_000))));
    take(small, 'b');
    await small.backend.close();
    expect([small.batches, small.lost]).toEqual([['b'], ['1 the buffer of audit events is full']]);
  });

  test('a body counts twice, since the text of its event has it too, and a batch takes a quarter of the buffer', async () => {
    const body = JSON.stringify('x'.repeat(10_000));
    const made = batching({ bufferBytes: 60_000, maxSize: 100, maxWait: 1000 });
    for (const id of 'abc') void made.backend.take(recordOf(id, body));
    expect(made.lost).toEqual(['1 the buffer of audit events is full']);
    await made.backend.close();
    expect(made.batches).toEqual(['a', 'b']);
  });

  test('a failure loses its batch only', async () => {
    let calls = 0;
    const made = make(
      () => {
        calls += 1;
        if (calls === 1) throw new Error('the disk is full');
      },
      { batch: { maxSize: 2, maxWait: 0 } },
    );
    take(made, 'abc');
    await made.clock.settle();
    expect([calls, made.lost]).toEqual([2, ['2 the disk is full']]);
  });

  test('are not larger than the maximum', async () => {
    const size = recordOf('a').text.length;
    const made = batching({ maxSize: 10, maxWait: 0 }, { truncate: { maxBatchBytes: size * 2 } });
    take(made, 'abcde');
    await made.clock.settle();
    await made.backend.close();
    expect(made.batches).toEqual(['ab', 'cd', 'e']);
  });
});

describe('truncation', () => {
  test('removes the objects of an event that is too large, or loses it', () => {
    const texts: string[] = [];
    const made = make((records) => void texts.push(...records.map(({ text }) => text)), {
      mode: 'blocking',
      truncate: { maxEventBytes: 600 },
    });
    const large = JSON.stringify({ data: 'x'.repeat(1000) });
    void made.backend.take(recordOf('a', '{"data":"y"}'));
    void made.backend.take(recordOf('b', large));
    expect(made.backend.take(recordOf('c'.repeat(1000), large))).toBe(true);
    const [kept, truncated, ...rest] = texts.map((text) => JSON.parse(text) as AuditEvent);
    expect(rest).toEqual([]);
    expect(kept?.requestObject).toEqual({ data: 'y' });
    expect(truncated).not.toHaveProperty('requestObject');
    expect(truncated?.annotations).toEqual({ 'audit.k8s.io/truncated': 'true' });
    expect(made.lost).toEqual(['1 an audit event is too large even after truncating']);
  });
});

describe('blocking', () => {
  test.each([
    ['blocking', true],
    ['blocking-strict', false],
  ] as const)('%s: a failure lets the request pass: %s', async (mode, passes) => {
    const fails = make(
      () => {
        throw new Error('no');
      },
      { mode },
    );
    expect(fails.backend.take(recordOf('a'))).toBe(passes);
    const rejects = make(() => Promise.reject(new Error('later')), { mode });
    expect(await rejects.backend.take(recordOf('a'))).toBe(passes);
    expect([...fails.lost, ...rejects.lost]).toEqual(['1 no', '1 later']);
  });

  test('closes when everything is written', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const made = make(() => held, { mode: 'blocking' });
    const taken = made.backend.take(recordOf('a'));
    let closed = false;
    const closing = made.backend.close().then(() => (closed = true));
    await made.clock.settle();
    expect(closed).toBe(false);
    release();
    await closing;
    expect(await taken).toBe(true);
  });
});

describe('a sink', () => {
  test('that hangs loses its events after a timeout, and the next ones are written', async () => {
    const clock = createManualClock();
    const lost: string[] = [];
    const seen: number[] = [];
    let aborted = false;
    const write = (events: readonly AuditEvent[], signal: AbortSignal): Promise<void> => {
      seen.push(events.length);
      if (seen.length > 1) return Promise.resolve();
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise<void>(() => undefined);
    };
    const backend = makeBackend(sinkDelivery({ write, timeout: 500 }, clock), deliveryOf({}, sinkDefaults), {
      ...{ name: 'sink', clock, dialect: kubernetes, lost: (count, why) => void lost.push(`${count} ${why}`) },
    });
    void backend.take(recordOf('a'));
    await clock.settle();
    void backend.take(recordOf('b'));
    void backend.take(recordOf('c'));
    await clock.advance(500);
    expect([seen, aborted, lost]).toEqual([[1, 2], true, ['1 the sink of audit events did not return within 500 ms']]);
  });

  test('gets objects of its own', () => {
    const record = recordOf('a', '{"data":{"k":"v"}}');
    const events: AuditEvent[] = [];
    const deliver = sinkDelivery({ write: (batch) => void events.push(...batch) }, createManualClock());
    void deliver([record]);
    void deliver([record]);
    Object.assign(events[0] ?? {}, { verb: 'changed' });
    expect(events[1]?.verb).toBe('get');
  });
});

describe('a log', () => {
  const hostile = new AuditRecord({
    ...recordOf('one\ntwo').fields,
    userAgent: 'x"\n{"kind":"Event"}\r\u2028\u202e\u0085\x7f\x1b[2J',
    requestURI: '/a"\nAUDIT: id="forged"',
    user: { username: 'eve" groups="system:masters', groups: ['a"b'] },
  });

  test.each(['json', 'legacy'] as const)('format %s: a client cannot begin a line or hide one', async (format) => {
    let text = '';
    await logDelivery({ output: { write: (lines) => void (text += lines) }, format })([hostile, recordOf('b')]);
    expect(text.split('\n').length).toBe(3);
    expect(text.replaceAll('\n', '')).toMatch(/^[\x20-\x7e]*$/);
    expect(text).toContain(format === 'json' ? String.raw`x\"\n{` : String.raw`user="eve\" groups=\"system:masters"`);
    if (format === 'json') expect(JSON.parse(text.split('\n')[0] ?? '')).toEqual(hostile.fields);
  });

  test('the line of format legacy', () => {
    expect(
      legacyLine({
        ...recordOf('id').fields,
        user: { username: 'alice', groups: ['a', 'b'] },
        impersonatedUser: { username: 'bob' },
        sourceIPs: ['10.0.0.1', '10.0.0.2'],
        objectRef: { resource: 'pods', namespace: 'shop' },
        responseStatus: { metadata: {}, code: 200 },
        userAgent: 'kubectl',
      }),
    ).toBe(
      String.raw`2024-01-01T00:00:00.000000Z AUDIT: id="id" stage="ResponseComplete" ip="10.0.0.1" method="get" user="alice" groups="\"a\",\"b\"" as="bob" asgroups="<lookup>" user-agent="kubectl" namespace="shop" uri="/version" response="200"`,
    );
  });
});

describe('a webhook over https', () => {
  /** A receiver that answers with the given codes, then with 200. */
  async function receiver(codes: number[]) {
    const { caPem, certPem, keyPem } = await createServingCertificate();
    const bodies: { kind: string; apiVersion: string; items: AuditEvent[] }[] = [];
    const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        bodies.push(JSON.parse(text) as (typeof bodies)[number]);
        response.writeHead(codes.shift() ?? 200).end('not JSON');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const http = nodeHttpClient();
    onTestFinished(() => {
      http.close();
      server.closeAllConnections();
      server.close();
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/audit`;
    return { bodies, post: webhookPost(http, { url, tls: { certificateAuthority: caPem } }) };
  }

  test('gets lists of events, and another attempt after a failure', async () => {
    const clock = createManualClock();
    const { bodies, post } = await receiver([503]);
    const lost: string[] = [];
    const sender = { clock, entropy: seededEntropy('x'), apiVersion: 'audit.k8s.io/v1' };
    const backend = makeBackend(webhookDelivery({ post }, sender), deliveryOf({}, webhookDefaults), {
      ...{ name: 'webhook', clock, dialect: kubernetes, lost: (count, why) => void lost.push(`${count} ${why}`) },
    });
    void backend.take(recordOf('a', '{"data":"é"}'));
    void backend.take(recordOf('b'));
    await clock.advance(30_000);
    await vi.waitFor(() => expect(bodies.length).toBe(1));
    await vi.waitFor(async () => {
      await clock.advance(1000);
      expect(bodies.length).toBe(2);
    }, 10_000);
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[0]).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {} });
    expect(bodies[0]?.items.map(({ auditID }) => auditID)).toEqual(['a', 'b']);
    await backend.close();
    expect(lost).toEqual([]);
  });

  test('that refuses loses the batch', async () => {
    const clock = createManualClock();
    const { bodies, post } = await receiver([403]);
    const sender = { clock, entropy: seededEntropy('x'), apiVersion: 'audit.k8s.io/v1' };
    await expect(webhookDelivery({ post }, sender)([recordOf('a')])).rejects.toThrow('answered with status 403');
    expect(bodies.length).toBe(1);
  });
});
