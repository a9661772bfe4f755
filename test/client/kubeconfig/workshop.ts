import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach } from 'vitest';
import { encodeYaml } from '../../../src/server/codec/index.js';
import type { JsonObject } from '../../../src/foundation/index.js';
import { createServingCertificate, type ServingCertificate } from '../../../src/transport/node/index.js';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Registers a cleanup for the end of the test; the last one runs first. */
export const afterTest = (clean: () => unknown): void => void cleanups.push(clean);

/** A directory that is removed after the test. */
export class Folder {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'config-')));

  constructor() {
    afterTest(() => rmSync(this.path, { recursive: true, force: true }));
  }

  join(name: string): string {
    return join(this.path, name);
  }

  write(name: string, content: string): string {
    writeFileSync(this.join(name), content);
    return this.join(name);
  }

  config(name: string, config: JsonObject): string {
    return this.write(name, encodeYaml(config));
  }

  script(name: string, content: string): string {
    const path = this.write(name, content);
    chmodSync(path, 0o755);
    return path;
  }

  read(name: string): string {
    return readFileSync(this.join(name), 'utf8');
  }

  /** Number of lines; 0 if there is no such file. Counts the runs of a plugin that adds a line each time. */
  lines(name: string): number {
    return existsSync(this.join(name)) ? this.read(name).split('\n').length - 1 : 0;
  }
}

/** A configuration with one cluster, user and context, all three named `one`. */
export function configOf(cluster: JsonObject, user: JsonObject = {}, context: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'one',
    clusters: [{ name: 'one', cluster }],
    users: [{ name: 'one', user }],
    contexts: [{ name: 'one', context: { cluster: 'one', user: 'one', ...context } }],
  };
}

/** A certificate and its key, PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** A self-signed client certificate. */
export function clientIdentity(name: string): Identity {
  const both = execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      '-',
      '-out',
      '-',
      '-subj',
      `/CN=${name}`,
      '-days',
      '1',
    ],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const at = both.indexOf('-----BEGIN CERTIFICATE-----');
  return { key: both.slice(0, at), certificate: both.slice(at) };
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A request as the server received it. */
export interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Common name of the client certificate; the server accepts any. */
  readonly commonName: string | undefined;
  /** Server name in the handshake. */
  readonly serverName: string | false | undefined;
}

/** An answer: the status, and optional headers. */
export type Answer = number | { readonly status: number; readonly headers: Readonly<Record<string, string>> };

let serving: Promise<ServingCertificate> | undefined;

/** A real server on the loopback interface that records its requests. */
export async function startServer(
  answer: (seen: Seen) => Answer = () => 200,
): Promise<{ readonly url: string; readonly ca: string; readonly seen: Seen[] }> {
  const { caPem, certPem, keyPem } = await (serving ??= createServingCertificate({
    names: ['localhost', 'api.example'],
    addresses: ['127.0.0.1'],
  }));
  const seen: Seen[] = [];
  const server = createServer(
    { key: keyPem, cert: certPem, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const socket = request.socket as TLSSocket & { readonly servername?: string | false };
        const { method, url, headers } = request;
        const commonName = socket.getPeerCertificate().subject?.CN?.toString();
        const item: Seen = {
          method,
          url,
          headers,
          body: Buffer.concat(chunks).toString(),
          commonName,
          serverName: socket.servername,
        };
        seen.push(item);
        const given = answer(item);
        response.writeHead(typeof given === 'number' ? given : given.status, {
          'content-type': 'application/json',
          ...(typeof given === 'number' ? {} : given.headers),
        });
        response.end('{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no"}');
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca: caPem, seen };
}
