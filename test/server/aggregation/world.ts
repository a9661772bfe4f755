/** Two servers, one API: a server, and the server of another API group behind a service. */
import * as z from 'zod';
import {
  ApiServer,
  defineResource,
  kubernetes,
  type AdmissionPlugin,
  type ApiServerOptions,
  type Client,
} from '../../../src/entries/index.js';
import { APIService } from '../../../src/entries/kinds.js';
import { systemClock, systemEntropy } from '../../../src/foundation/index.js';
import { FrontProxyCertificate } from '../../../src/security/authorities/front-proxy-certificate.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import {
  createServingCertificate,
  listen,
  nodeHttpClient,
  type Listener,
  type ServingCertificate,
} from '../../../src/transport/node/index.js';

export const GROUP = 'ships.example.com';
export const VERSION_PATH = `/apis/${GROUP}/v1`;
export const FERRIES = `${VERSION_PATH}/namespaces/default/ferries`;
export const API_SERVICE = `v1.${GROUP}`;

const Ferry = defineResource({
  group: GROUP,
  version: 'v1',
  kind: 'Ferry',
  plural: 'ferries',
  scope: 'Namespaced',
  schema: () => z.object({ spec: z.object({ seats: z.number().int().optional() }).optional() }),
});

const USERS = [
  { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
  {
    token: 'alice',
    user: { username: 'älice', groups: ['dev', 'system:masters'], extra: { 'Example.com/Team': ['red', 'blau ü'] } },
  },
  { token: 'bob', user: { username: 'bob', groups: ['dev'] } },
];

/** The users that the other server has seen write. */
export type Seen = { username: string; groups: readonly string[]; extra?: object | undefined }[];

export interface WorldOptions {
  readonly server?: ApiServerOptions;
  readonly certificate?: ServingCertificate;
}

/** A server `main` that passes the group on to `other`. */
export class World implements AsyncDisposable {
  readonly seen: Seen = [];
  readonly http = nodeHttpClient();
  certificate!: ServingCertificate;
  main!: ApiServer;
  other!: ApiServer;
  listener!: Listener;
  /** Where the service is; undefined: what the objects say. */
  url: URL | undefined;

  static async start(options: WorldOptions = {}): Promise<World> {
    const world = new World();
    await world.#start(options);
    return world;
  }

  get client(): Client {
    return this.main.client();
  }

  get caBundle(): string {
    return Buffer.from(this.certificate.caPem).toString('base64');
  }

  /** Creates the APIService of the group. */
  async register(spec: object = {}): Promise<void> {
    await this.client.resource(APIService).create({
      metadata: { name: API_SERVICE },
      spec: {
        group: GROUP,
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { namespace: 'default', name: 'ferries' },
        caBundle: this.caBundle,
        ...spec,
      },
    });
    await this.main.settled();
    // Its controllers start with the first request, and create objects, too.
    await this.other.settled();
  }

  /** The condition of the APIService, without its time. */
  async condition(): Promise<object | undefined> {
    const { status } = await this.client.resource(APIService).get(API_SERVICE);
    const [condition] = status?.conditions ?? [];
    if (condition === undefined) return undefined;
    const { lastTransitionTime: _time, ...rest } = condition;
    return rest;
  }

  async #start({ server = {}, certificate }: WorldOptions): Promise<void> {
    const storage = createMemoryStorage({ clock: systemClock });
    const parts = { storage, clock: systemClock, entropy: systemEntropy, dialect: kubernetes };
    const proxy = new FrontProxyCertificate(parts);
    const certificateAuthorities = await proxy.authorities();
    proxy.close();
    this.certificate = certificate ?? (await createServingCertificate({ names: ['ferries.default.svc'] }));
    const seen: AdmissionPlugin = {
      name: 'seen',
      operations: ['CREATE'],
      validate: ({ context }) => {
        const { username, groups, extra } = context.user;
        this.seen.push({ username, groups, extra });
      },
    };
    this.other = new ApiServer({
      dialect: kubernetes,
      resources: [Ferry],
      authentication: {
        tokens: USERS,
        requestHeader: { certificateAuthorities, allowedNames: ['front-proxy-client'] },
      },
      authorization: { modes: ['RBAC'] },
      admission: { plugins: [seen] },
    });
    const { certPem: cert, keyPem: key } = this.certificate;
    this.listener = await listen(this.other, { tls: { cert, key, ca: [certificateAuthorities] } });
    this.url = new URL(this.listener.url);
    this.main = new ApiServer({
      dialect: kubernetes,
      storage,
      ...server,
      authentication: { tokens: USERS, ...server.authentication },
      network: { httpClient: this.http, resolveService: () => this.url, ...server.network },
    });
    await this.main.ready();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.main.close();
    await this.listener.close();
    await this.other.close();
    this.http.close();
  }
}
