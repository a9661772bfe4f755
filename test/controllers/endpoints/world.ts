import type { coreV1 } from '../../../src/kinds/types/index.js';
import { Endpoints, EndpointSlice, Pod, Service } from '../../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';

/** A state of a pod that matters for endpoints. */
export interface PodState {
  readonly labels?: Readonly<Record<string, string>>;
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  readonly phase?: string;
  readonly spec?: Partial<coreV1.PodSpec>;
  readonly since?: string;
}

/** A server with services and pods in the namespace `default`. */
export class World implements AsyncDisposable {
  readonly test: TestServer;

  constructor(test: TestServer) {
    this.test = test;
  }

  get endpoints() {
    return this.test.client.resource(Endpoints).namespace('default');
  }

  get services() {
    return this.test.client.resource(Service).namespace('default');
  }

  get pods() {
    return this.test.client.resource(Pod).namespace('default');
  }

  get slices() {
    return this.test.client.resource(EndpointSlice).namespace('default');
  }

  async service(name: string, spec: coreV1.ServiceSpec = {}, labels: Record<string, string> = {}): Promise<void> {
    await this.services.create({
      metadata: { name, labels },
      spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
    });
  }

  /** Creates a pod with a status, as a node reports it. */
  async pod(name: string, state: PodState): Promise<void> {
    await this.pods.create({
      metadata: { name, labels: { ...(state.labels ?? { app: 'web' }) } },
      spec: { containers: [{ name: 'main', image: 'nginx' }], ...state.spec },
    });
    await this.report(name, state);
  }

  /** Changes the status of a pod. */
  async report(name: string, { ips = [], ready = true, phase = 'Running', since }: PodState): Promise<void> {
    await this.pods.patch(
      name,
      {
        status: {
          phase,
          podIP: ips[0] ?? '',
          podIPs: ips.map((ip) => ({ ip })),
          conditions: [
            { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since ?? '2024-01-01T00:00:05Z' },
          ],
        },
      },
      { type: 'merge', subresource: 'status' },
    );
  }

  /** The subsets of the Endpoints of a service, in short: addresses, those that are not ready, ports. */
  async subsets(name: string): Promise<string[]> {
    await this.test.settled();
    const { subsets = [] } = await this.endpoints.get(name);
    return subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
      const ips = [...addresses.map(({ ip }) => ip), ...notReadyAddresses.map(({ ip }) => `!${ip}`)];
      return `${ips.join(' ')} : ${ports.map(({ name: port = '', port: number }) => `${port}${number}`).join(' ')}`;
    });
  }

  /** The slices of a service, in the order of their type and names. */
  async slicesOf(name: string) {
    await this.test.settled();
    const { items } = await this.slices.list({ labelSelector: `kubernetes.io/service-name=${name}` });
    return items.sort((one, other) => (one.addressType < other.addressType ? -1 : 1));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.test.close();
  }
}

/** Starts a server with the controllers of endpoints. */
export async function startWorld(options: TestServerOptions = {}): Promise<World> {
  return new World(await startTestServer({ dialect: 'kubernetes', ...options }));
}
