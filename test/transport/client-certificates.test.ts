import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { parseCertificate } from '../../src/security/pki/index.js';
import { createServingCertificate, listen, type Listener } from '../../src/transport/node/index.js';
import { authority, client, intermediate, type Identity } from '../security/pki/support/issue.js';

const listeners: Listener[] = [];

afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close({ grace: 0 });
});

const root = authority('root');
const middle = intermediate('middle', root);
const lower = intermediate('lower', middle);
const alice = client('alice', lower);

/** A server that answers with the names of the certificates that it received. */
async function start(ca?: readonly string[]): Promise<{ readonly port: number; readonly caPem: string }> {
  const { caPem, certPem, keyPem } = await createServingCertificate();
  const listener = await listen(
    {
      handle: async ({ peer }) => {
        const chain = peer.certificate?.()?.chain.map((bytes) => parseCertificate(bytes).subject.commonName);
        return { status: 200, headers: {}, body: chain?.join(' < ') ?? 'nobody' };
      },
    },
    { tls: { key: keyPem, cert: certPem, ...(ca === undefined ? {} : { ca }) } },
  );
  listeners.push(listener);
  return { port: listener.address.port, caPem };
}

interface Visit {
  readonly identity?: { readonly key: string; readonly cert: string };
  readonly session?: Buffer | undefined;
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3';
}

/** One request on its own connection. */
function visit(
  { port, caPem }: { port: number; caPem: string },
  { identity, session, maxVersion }: Visit,
): Promise<{ readonly answer: string; readonly session: Buffer | undefined }> {
  return new Promise((resolve, reject) => {
    let answer = '';
    let kept: Buffer | undefined;
    const socket = connectTls({
      port,
      host: '127.0.0.1',
      ca: caPem,
      ALPNProtocols: ['http/1.1'],
      ...identity,
      ...(session && { session }),
      ...(maxVersion && { maxVersion }),
    });
    socket
      .setEncoding('utf8')
      .on('data', (text: string) => (answer += text))
      .on('session', (offered: Buffer) => (kept = offered))
      .on('error', reject);
    socket.on('close', () => resolve({ answer: answer.split('\r\n\r\n')[1] ?? '', session: kept }));
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  });
}

const presenting = (...chain: readonly Identity[]): { key: string; cert: string } => ({
  key: chain[0]?.keyPem ?? '',
  cert: chain.map(({ pem }) => pem).join(''),
});

describe('client certificates', () => {
  test('are requested without naming an authority, and passed on with the presented chain', async () => {
    const server = await start();
    expect((await visit(server, {})).answer).toBe('nobody');
    expect((await visit(server, { identity: presenting(alice) })).answer).toBe('alice');
    expect((await visit(server, { identity: presenting(alice, lower, middle) })).answer).toBe('alice < lower < middle');
    expect((await visit(server, { identity: presenting(alice, lower, middle, root) })).answer).toBe(
      'alice < lower < middle < root',
    );
  });

  test('are passed on whatever authorities are configured', async () => {
    const server = await start([authority('other').pem]);
    expect((await visit(server, { identity: presenting(alice, lower, middle) })).answer).toBe('alice < lower < middle');
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('are complete when a session of %s is resumed', async (maxVersion) => {
    const server = await start();
    const identity = presenting(alice, lower, middle);
    const first = await visit(server, { identity, maxVersion });
    const second = await visit(server, { identity, maxVersion, session: first.session });
    expect([first.answer, second.answer]).toEqual(['alice < lower < middle', 'alice < lower < middle']);
  });

  test('are one record for an HTTP/2 connection, for all its streams', async () => {
    const { caPem, certPem, keyPem } = await createServingCertificate();
    const seen = new Set<unknown>();
    const handle = async ({ peer }: { peer: { certificate?: (() => unknown) | undefined } }) => (
      seen.add(peer.certificate?.()),
      { status: 200, headers: {}, body: 'ok' }
    );
    const listener = await listen({ handle }, { tls: { key: keyPem, cert: certPem } });
    listeners.push(listener);
    const session = connectHttp2(listener.url, { ca: caPem, ...presenting(alice, lower) });
    for (let time = 0; time < 3; time += 1)
      for await (const chunk of session.request({ ':path': '/' })) expect(String(chunk)).toBe('ok');
    session.destroy();
    expect(seen.size).toBe(1);
  });
});
