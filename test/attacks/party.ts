import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServingCertificate } from '../../src/transport/node/index.js';

/** Answers a request of the server under attack. */
export type PartyAnswer = (request: IncomingMessage, response: ServerResponse, url: string) => void;

/** A server that the owner of the server under attack has configured, such as an OpenID provider. */
export interface Party {
  /** Address of the server. */
  readonly url: string;
  /** Flags of the server under attack. */
  readonly flags: readonly string[];
  stop(): void;
}

/** Files for the flags of a server under attack. */
export interface PartyFiles {
  readonly url: string;
  readonly caPem: string;
  /** Writes a file. @returns its path */
  write(name: string, text: string): string;
}

/**
 * Starts a server that another one depends on.
 *
 * @param flags returns the flags of the server under attack
 */
export async function startParty(answer: PartyAnswer, flags: (files: PartyFiles) => readonly string[]): Promise<Party> {
  const { keyPem, certPem, caPem } = await createServingCertificate({ names: ['localhost'], addresses: ['127.0.0.1'] });
  const server = createServer({ key: keyPem, cert: certPem }, (request, response) => {
    request.resume();
    response.on('error', () => undefined);
    answer(request, response, url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const directory = mkdtempSync(join(tmpdir(), 'attacks-party-'));
  const write = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  return {
    url,
    flags: flags({ url, caPem, write }),
    stop() {
      server.closeAllConnections();
      server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A kubeconfig of a webhook. */
export function kubeconfig({ url, caPem, write }: PartyFiles): string {
  const cluster = { server: `${url}/hook`, 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
  return write(
    'kubeconfig',
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'hook' },
      clusters: [{ name: 'hook', cluster }],
      users: [{ name: 'hook', user: {} }],
      contexts: [{ name: 'hook', context: { cluster: 'hook', user: 'hook' } }],
    }),
  );
}
