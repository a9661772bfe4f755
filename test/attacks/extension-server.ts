import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServingCertificate } from '../../src/transport/node/index.js';
import { GROUP } from './kinds.js';
import type { World } from './world.js';

/** How the server of the attacker answers. */
export interface Extension {
  /** Answers a request for one of its versions. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Answers what the server under attack asks by itself: `/apis`, the list of a version, and `/openapi/v3`. */
  readonly document?: (path: string, response: ServerResponse) => void;
  /** Takes a request for a WebSocket. */
  readonly upgrade?: (socket: Duplex) => void;
}

const SERVICES = '/api/v1/namespaces/attack/services';
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const DOCUMENT = /^\/(apis(\/[^/]+\/[^/]+)?|openapi\/v3)$/;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** An API server that the attacker runs, behind a service of the server under attack. */
export class ExtensionServer {
  readonly #server: Server;
  /** Whether its documents are those of the attack. Before, it answers as it should. */
  #isHostile = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start({ answer, document, upgrade }: Extension): Promise<ExtensionServer> {
    const { keyPem: key, certPem: cert } = await createServingCertificate({ names: ['localhost'] });
    const server = createServer({ key, cert });
    const extension = new ExtensionServer(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      request.resume();
      response.on('error', () => undefined);
      const path = request.url ?? '';
      if (!DOCUMENT.test(path)) (answer ?? end)(request, response);
      else if (extension.#isHostile && document !== undefined) document(path, response);
      else end(request, response);
    });
    server.on('upgrade', (_request, socket: Duplex) => {
      socket.on('error', () => undefined);
      if (upgrade === undefined) socket.destroy();
      else upgrade(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    return extension;
  }

  /** Registers versions of a group, and waits until they are available. Then the attack begins. */
  async register({ owner }: World, versions: readonly string[]): Promise<void> {
    const spec = { type: 'ExternalName', externalName: 'localhost' };
    await owner.must({ method: 'POST', path: SERVICES, body: JSON.stringify({ metadata: { name: 'hostile' }, spec }) });
    const { port } = this.#server.address() as AddressInfo;
    for (const version of versions)
      await owner.must({ method: 'POST', path: API_SERVICES, body: apiService(version, port) });
    for (const version of versions) await available(owner, version);
    this.#isHostile = true;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const end = (_request: IncomingMessage, response: ServerResponse): void => {
  response.setHeader('content-type', 'application/json');
  response.end('{"kind":"APIResourceList","apiVersion":"v1","resources":[]}');
};

const nameOf = (version: string): string => `${version}.${GROUP}`;

const apiService = (version: string, port: number): string =>
  JSON.stringify({
    metadata: { name: nameOf(version) },
    spec: {
      ...{ group: GROUP, version, groupPriorityMinimum: 1000, versionPriority: 15, insecureSkipTLSVerify: true },
      service: { namespace: 'attack', name: 'hostile', port },
    },
  });

/** @throws Error when a version does not become available */
async function available(owner: World['owner'], version: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { whole } = await owner.read(`${API_SERVICES}/${nameOf(version)}`, 5_000);
    if (whole.includes('"type":"Available","status":"True"') || /"status":"True"[^}]*"type":"Available"/.test(whole))
      return;
    await pause(50);
  }
  throw new Error(`${nameOf(version)} is not available`);
}
