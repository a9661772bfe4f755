import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type Server, type ServerOptions } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/foundation/index.js';
import {
  CertificateAuthority,
  encodePem,
  encodePrivateKey,
  encodePublicKey,
  ExtendedKeyUsage,
  generateKeyPair,
} from '../../src/security/pki/index.js';
import { nodeHttpClient } from '../../src/transport/node/outbound/http-client.js';
import { createServingCertificate, type ServingCertificate } from '../../src/transport/node/index.js';

let serving: ServingCertificate;
let identity: { readonly key: string; readonly certificate: string };
const closers: (() => Promise<unknown> | void)[] = [];

beforeAll(async () => {
  serving = await createServingCertificate({ names: ['localhost', 'issuer.example'], addresses: ['127.0.0.1'] });
  identity = clientIdentity();
});

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const newClient = (...options: Parameters<typeof nodeHttpClient>): ReturnType<typeof nodeHttpClient> => {
  const client = nodeHttpClient(...options);
  closers.unshift(() => client.close());
  return client;
};

async function serve(
  listener: RequestListener,
  options: ServerOptions = {},
): Promise<{ readonly server: Server; readonly url: string; readonly port: number }> {
  const server = createHttpsServer({ key: serving.keyPem, cert: serving.certPem, ...options }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { server, url: `https://127.0.0.1:${port}`, port };
}

/** Answers every connection with these bytes. */
async function serveBytes(bytes: string): Promise<string> {
  const server = createTcpServer((socket) => {
    closers.unshift(() => void socket.destroy());
    socket.write(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientIdentity(): { readonly key: string; readonly certificate: string } {
  const both = execFileSync(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout - -out - -subj /CN=client -days 1'.split(' '),
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const at = both.indexOf('-----BEGIN CERTIFICATE-----');
  return { key: both.slice(0, at), certificate: both.slice(at) };
}

const DAY_MS = 24 * 3600_000;

/** A root, an intermediate of it, and a certificate for 127.0.0.1 with its key, that ends after some days. */
async function certificateChain(days = 1): Promise<Record<'root' | 'intermediate' | 'leaf' | 'key', string>> {
  const validity = { notBefore: systemClock.now() - 2 * DAY_MS, notAfter: systemClock.now() + DAY_MS };
  const root = await CertificateAuthority.create({ commonName: 'root', ...validity });
  const [above, below] = await Promise.all([generateKeyPair(), generateKeyPair()]);
  const intermediate = encodePem(
    'CERTIFICATE',
    await root.issue({
      ...validity,
      subject: { commonName: 'intermediate' },
      publicKey: await encodePublicKey(above.publicKey),
      keyUsages: ['keyCertSign'],
      isCertificateAuthority: true,
    }),
  );
  const issuer = await CertificateAuthority.open(intermediate, await encodePrivateKey(above.privateKey));
  const leaf = await issuer.issue({
    subject: { commonName: 'webhook' },
    publicKey: await encodePublicKey(below.publicKey),
    notBefore: validity.notBefore,
    notAfter: systemClock.now() + days * DAY_MS,
    keyUsages: ['digitalSignature'],
    extendedKeyUsages: [ExtendedKeyUsage.serverAuth],
    alternativeNames: { ipAddresses: ['127.0.0.1'] },
  });
  return {
    root: root.certificatePem,
    intermediate,
    leaf: encodePem('CERTIFICATE', leaf),
    key: await encodePrivateKey(below.privateKey),
  };
}

const text = (body: Uint8Array): string => new TextDecoder().decode(body);
const trusted = (): { readonly certificateAuthority: string } => ({ certificateAuthority: serving.caPem });

describe('trust', () => {
  test('a custom authority', async () => {
    const { url } = await serve((_, response) => void response.end('ok'));
    const answer = await newClient()({ url, tls: trusted(), maxBytes: 10 });
    expect([answer.status, text(answer.body)]).toEqual([200, 'ok']);
  });

  test('without it no server is trusted, nor with another one', async () => {
    const { url } = await serve((_, response) => void response.end('ok'));
    const other = await createServingCertificate();
    await expect(newClient()({ url, maxBytes: 10 })).rejects.toThrow(
      /^GET https:\/\/127\.0\.0\.1:\d+\/: (unable to verify|self-signed certificate|unable to get)/,
    );
    await expect(newClient()({ url, tls: { certificateAuthority: other.caPem }, maxBytes: 10 })).rejects.toThrow(
      /certificate/,
    );
  });

  test('the certificate of the server itself, or an intermediate alone, is trusted as in Go', async () => {
    const chain = await certificateChain();
    const { url } = await serve((_, response) => void response.end('ok'), { key: chain.key, cert: chain.leaf });
    const whole = await serve((_, response) => void response.end('ok'), {
      key: chain.key,
      cert: chain.leaf + chain.intermediate,
    });
    const client = newClient();
    const ask = async (at: string, certificateAuthority: string): Promise<number> =>
      (await client({ url: at, tls: { certificateAuthority }, maxBytes: 10 })).status;
    expect(await ask(url, serving.caPem + chain.leaf)).toBe(200);
    expect(await ask(url, chain.intermediate)).toBe(200);
    expect(await ask(whole.url, chain.intermediate)).toBe(200);
    expect(await ask(whole.url, chain.root)).toBe(200);
    await expect(ask(url, chain.root)).rejects.toThrow(/unable to (verify|get)/);
    await expect(ask(url, serving.certPem)).rejects.toThrow(/unable to (verify|get)/);
    // A trusted certificate must still be valid, and for the name.
    const named = { certificateAuthority: chain.leaf, serverName: 'other.example' };
    await expect(client({ url, tls: named, maxBytes: 10 })).rejects.toThrow('does not match');
    const old = await certificateChain(-1);
    const late = await serve(() => undefined, { key: old.key, cert: old.leaf });
    await expect(ask(late.url, old.leaf)).rejects.toThrow('certificate has expired');
  });

  test('any certificate is accepted if configured so', async () => {
    const { url } = await serve((_, response) => void response.end('ok'));
    expect((await newClient()({ url, tls: { insecureSkipVerify: true }, maxBytes: 10 })).status).toBe(200);
  });

  test('the certificate must match the host, or the configured name', async () => {
    const named = await createServingCertificate({ names: ['issuer.example'], addresses: [] });
    const names: unknown[] = [];
    const { url } = await serve(
      (incoming, response) => {
        names.push((incoming.socket as TLSSocket & { servername?: string }).servername);
        response.end('ok');
      },
      { key: named.keyPem, cert: named.certPem },
    );
    const client = newClient();
    const tls = { certificateAuthority: named.caPem };
    await expect(client({ url, tls, maxBytes: 10 })).rejects.toThrow(
      "Hostname/IP does not match certificate's altnames",
    );
    expect((await client({ url, tls: { ...tls, serverName: 'issuer.example' }, maxBytes: 10 })).status).toBe(200);
    await expect(client({ url, tls: { ...tls, serverName: 'other.example' }, maxBytes: 10 })).rejects.toThrow(
      'does not match',
    );
    expect(names).toEqual(['issuer.example']);
  });

  test('a host header does not select the name', async () => {
    const named = await createServingCertificate({ names: ['issuer.example'], addresses: [] });
    const { url } = await serve((_, response) => void response.end('ok'), { key: named.keyPem, cert: named.certPem });
    await expect(
      newClient()({
        url,
        headers: { host: 'issuer.example' },
        tls: { certificateAuthority: named.caPem },
        maxBytes: 10,
      }),
    ).rejects.toThrow('does not match');
  });

  test('a name that is an address is compared with the addresses', async () => {
    const { port } = await serve((_, response) => void response.end('ok'));
    const client = newClient();
    expect(
      (await client({ url: `https://localhost:${port}`, tls: { ...trusted(), serverName: '127.0.0.1' }, maxBytes: 10 }))
        .status,
    ).toBe(200);
    await expect(
      client({ url: `https://localhost:${port}`, tls: { ...trusted(), serverName: '127.0.0.2' }, maxBytes: 10 }),
    ).rejects.toThrow('does not match');
  });

  test('a client certificate is presented only to its server, and connections are not shared', async () => {
    const { url } = await serve(
      (incoming, response) =>
        void response.end(String((incoming.socket as TLSSocket).getPeerCertificate().subject?.CN)),
      {
        requestCert: true,
        rejectUnauthorized: false,
      },
    );
    const client = newClient();
    const ask = async (tls: object): Promise<string> =>
      text((await client({ url, tls: { ...trusted(), ...tls }, maxBytes: 100 })).body);
    expect(await ask(identity)).toBe('client');
    expect(await ask({})).toBe('undefined');
    expect(await ask(identity)).toBe('client');
  });

  test.each([
    ['a certificate without its key', () => ({ certificate: identity.certificate }), 'must be given together'],
    ['an invalid authority', () => ({ certificateAuthority: 'hunter2' }), 'is not a PEM certificate'],
    ['an invalid key', () => ({ certificate: identity.certificate, key: 'hunter2' }), 'invalid TLS options'],
    [
      'the key of another one',
      () => ({ certificate: identity.certificate, key: serving.keyPem }),
      'invalid TLS options',
    ],
  ])('%s is an error that discloses no part of it', async (_, tls, message) => {
    const problem = await newClient()({ url: 'https://127.0.0.1:1', tls: tls(), maxBytes: 1 }).catch(String);
    expect(problem).toContain(message);
    expect(problem).not.toContain('hunter2');
  });
});

describe('answers', () => {
  test('a redirect is returned', async () => {
    let asked = 0;
    const { url } = await serve((_, response) => {
      asked += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const answer = await newClient()({ url, method: 'POST', body: 'x', tls: trusted(), maxBytes: 10 });
    expect([answer.status, answer.header('location'), answer.header('constructor'), asked]).toEqual([
      307,
      '/elsewhere',
      undefined,
      1,
    ]);
  });

  test('one that is too long is not read to its end', async () => {
    const { url } = await serve((_, response) => {
      const more = (): void =>
        void (response.destroyed || response.write('x'.repeat(65_536), () => setImmediate(more)));
      more();
    });
    await expect(newClient()({ url, tls: trusted(), maxBytes: 100_000 })).rejects.toThrow(
      'the answer is longer than 100000 bytes',
    );
  });

  test('one that breaks off is an error', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.destroy());
    });
    await expect(newClient()({ url, tls: trusted(), maxBytes: 100 })).rejects.toThrow(
      'the connection was closed before the response was complete',
    );
  });

  test('an aborted signal ends the request, before and during the answer', async () => {
    const before = new AbortController();
    const during = new AbortController();
    const { url } = await serve((incoming, response) => {
      if (incoming.url === '/before') return before.abort(new Error('no answer within 5 ms'));
      response.write('begin', () => during.abort(new Error('too slow')));
    });
    const client = newClient();
    await expect(
      client({ url: `${url}/before`, tls: trusted(), maxBytes: 100, signal: before.signal }),
    ).rejects.toThrow('/before: no answer within 5 ms');
    await expect(
      client({ url: `${url}/during`, tls: trusted(), maxBytes: 100, signal: during.signal }),
    ).rejects.toThrow('/during: too slow');
    await expect(client({ url, tls: trusted(), maxBytes: 100, signal: during.signal })).rejects.toThrow('too slow');
  });

  test('a server that does not speak HTTP is an error', async () => {
    const url = await serveBytes('hello\r\n');
    await expect(newClient()({ url, maxBytes: 100 })).rejects.toThrow(/^GET http:.*Parse Error/);
  });

  test('a server that changes the protocol is an error', async () => {
    const url = await serveBytes('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
    await expect(newClient()({ url, maxBytes: 100 })).rejects.toThrow(/^GET http:/);
  });
});

describe('connections', () => {
  test('are kept for the next request, and are limited in number', async () => {
    let open = 0;
    let most = 0;
    const { server, url } = await serve((_, response) => void setImmediate(() => response.end('ok')));
    let connections = 0;
    server.on('secureConnection', (socket) => {
      connections += 1;
      most = Math.max(most, (open += 1));
      socket.on('close', () => (open -= 1));
    });
    const client = newClient({ maxSockets: 2 });
    await Promise.all(Array.from({ length: 10 }, () => client({ url, tls: trusted(), maxBytes: 10 })));
    await client({ url, tls: trusted(), maxBytes: 10 });
    expect([connections, most]).toEqual([2, 2]);
  });

  test('a connection that the server closed in between is not an error', async () => {
    let asked = 0;
    const { server, url } = await serve((incoming, response) => {
      asked += 1;
      // The second request uses a connection that the server has just closed.
      if (asked === 2) return void incoming.socket.destroy();
      response.end('ok');
    });
    server.keepAliveTimeout = 60_000;
    const client = newClient();
    await client({ url, tls: trusted(), maxBytes: 10 });
    expect((await client({ url, tls: trusted(), maxBytes: 10 })).status).toBe(200);
    asked = 1;
    await expect(client({ url, method: 'POST', body: 'x', tls: trusted(), maxBytes: 10 })).rejects.toThrow(
      /^POST https:.*: (socket hang up|read ECONNRESET)/,
    );
  });

  test('are kept for a few sets of TLS options; one in use is not evicted', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { url } = await serve(async (incoming, response) => {
      if (incoming.url === '/held') await held;
      response.end('ok');
    });
    const client = newClient({ maxAgents: 1 });
    const first = client({ url: `${url}/held`, tls: trusted(), maxBytes: 10 });
    expect((await client({ url, tls: { ...trusted(), serverName: 'localhost' }, maxBytes: 10 })).status).toBe(200);
    expect((await client({ url, tls: { insecureSkipVerify: true }, maxBytes: 10 })).status).toBe(200);
    release();
    expect((await first).status).toBe(200);
  });

  test('exist for plain http too', async () => {
    const server = createHttpServer((_, response) => void response.end('ok')).listen(0, '127.0.0.1');
    closers.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    await new Promise((resolve) => server.once('listening', resolve));
    expect(
      (await newClient()({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, maxBytes: 10 })).status,
    ).toBe(200);
  });

  test('do not keep a process alive while idle', async () => {
    const { url } = await serve((_, response) => void response.end('ok'));
    const folder = mkdtempSync(join(tmpdir(), 'http-client-'));
    closers.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'ca.pem'), serving.caPem);
    const script = `
      import { readFileSync } from 'node:fs';
      import { nodeHttpClient } from ${JSON.stringify(new URL('../../src/transport/node/outbound/http-client.ts', import.meta.url).href)};
      const answer = await nodeHttpClient()({ url: process.argv[2], tls: { certificateAuthority: readFileSync(process.argv[3], 'utf8') }, maxBytes: 10 });
      process.stdout.write(String(answer.status));`;
    writeFileSync(join(folder, 'ask.mts'), script);
    const child = spawn(process.execPath, ['--import', 'tsx', join(folder, 'ask.mts'), url, join(folder, 'ca.pem')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    const [code] = (await once(child, 'close')) as [number];
    expect([output, code]).toEqual(['200', 0]);
  });
});
