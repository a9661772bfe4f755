import { z } from 'zod';
import { ApiServer } from '../../src/apiserver/api-server.js';
import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';
import type { Client } from '../../src/entries/client.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { createControllers, type ControllerOptions, type Controllers } from '../../src/apiserver/index.js';
import { ApiError } from '../../src/foundation/errors/api-error.js';
import type { ObjectMeta, OwnerReference } from '../../src/foundation/objects/object.js';
import { kubernetes } from '../../src/foundation/index.js';
import { defineResource, defineServerKind } from '../../src/registry/definition/definition.js';
import { builtinResources, ConfigMap, Event, Namespace, ServiceAccount } from '../../src/kinds/builtin/index.js';
import { ManualClock } from '../storage/manual-clock.js';

/** The built-in kinds that a server serves by default. */
export const servedResources = builtinResources.filter(
  ({ featureGate, version }) => featureGate === undefined && /^v\d+$/.test(version),
);

/** A cluster-scoped custom kind. */
export const Realm = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Realm',
  plural: 'realms',
  scope: 'Cluster',
  schema: () => z.object({}),
});

/** A kind whose collection can only be deleted one by one. */
export const Widget = defineServerKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () => z.object({}),
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
});

export interface Harness extends AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly clock: ManualClock;
  readonly controllers: Controllers;
  readonly errors: unknown[];
  settled(): Promise<void>;
}

/** A server with a clock that stands still, and running controllers. */
export function harness(options: Partial<ControllerOptions> = {}, serverOptions: ApiServerOptions = {}): Harness {
  const clock = new ManualClock();
  const server = new ApiServer({
    dialect: kubernetes,
    clock,
    resources: [Realm, Widget],
    controllers: { disable: [...controllerNames] },
    ...serverOptions,
  });
  const errors: unknown[] = [];
  const controllers = createControllers({
    kinds: [...servedResources, Realm, Widget],
    dialect: server.dialect,
    clock,
    logger: { info: () => undefined, error: (_message, fields) => void errors.push(fields?.['error']) },
    ...options,
  });
  controllers.start(server.client({ fieldManager: server.dialect.controllerManagerName }));
  return {
    server,
    client: server.client(),
    clock,
    controllers,
    errors,
    settled: () => controllers.settled(),
    async [Symbol.asyncDispose]() {
      await controllers.stop();
      await server.close();
    },
  };
}

/** A reference to an object. */
export function ownedBy(
  owner: { apiVersion: string; kind: string; metadata: ObjectMeta },
  extra: Partial<OwnerReference> = {},
): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, ...extra };
}

/** The result of a request: the object, or undefined if it is not found. */
export async function orAbsent<Item>(request: Promise<Item>): Promise<Item | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotFound') return undefined;
    throw error;
  }
}

/** Shorthands for the kinds that the tests use most. */
export const kit = (client: Client, namespace = 'default') => {
  const maps = client.resource(ConfigMap).namespace(namespace);
  return {
    maps,
    accounts: client.resource(ServiceAccount).namespace(namespace),
    events: client.resource(Event).namespace(namespace),
    namespaces: client.resource(Namespace),
    realms: client.resource(Realm),
    widgets: client.resource(Widget).namespace(namespace),
    map: (name: string, metadata: ObjectMeta = {}) => maps.create({ metadata: { name, ...metadata } }),
    async names() {
      return (await maps.list()).items.map(({ metadata }) => metadata.name);
    },
  };
};
