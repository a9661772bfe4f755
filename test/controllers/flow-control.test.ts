import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/api-server.js';
import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';
import type { Client } from '../../src/entries/client.js';
import { orch } from '../../src/foundation/index.js';
import { autoUpdateAnnotation } from '../../src/kinds/builtin/flowcontrol/bootstrap.js';
import { FlowSchema, PriorityLevelConfiguration } from '../../src/kinds/builtin/index.js';
import { ManualClock } from '../storage/manual-clock.js';

const MINUTE_MS = 60_000;
const AUTO = 'apf.kubernetes.io/autoupdate-spec';

const LEVELS = [
  'catch-all',
  'exempt',
  'global-default',
  'leader-election',
  'node-high',
  'system',
  'workload-high',
  'workload-low',
];
const SCHEMAS = [
  'catch-all',
  'endpoint-controller',
  'exempt',
  'global-default',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-system-service-accounts',
  'probes',
  'service-accounts',
  'system-leader-election',
  'system-node-high',
  'system-nodes',
  'workload-leader-election',
];

interface World {
  readonly server: ApiServer;
  readonly client: Client;
  readonly clock: ManualClock;
  /** Waits until the controllers have done what they have to do now, and again a minute later. */
  minute(): Promise<void>;
}

function world(options: ApiServerOptions = {}): World {
  const clock = new ManualClock();
  const server = new ApiServer({ dialect: 'kubernetes', fairness: true, clock, ...options });
  onTestFinished(() => server.close());
  const minute = async (): Promise<void> => {
    await server.settled();
    clock.advance(MINUTE_MS);
    await server.settled();
  };
  return { server, client: server.client(), clock, minute };
}

const schemasOf = (client: Client) => client.resource(FlowSchema);
const levelsOf = (client: Client) => client.resource(PriorityLevelConfiguration);
const namesOf = ({ items }: { items: { metadata: { name?: string | undefined } }[] }): (string | undefined)[] =>
  items.map(({ metadata }) => metadata.name);

const SCHEMA = {
  spec: {
    priorityLevelConfiguration: { name: 'workload-low' },
    matchingPrecedence: 50,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'jane' } }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
};
const LEVEL = { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } };

describe('a server with fairness', () => {
  test('has the objects of release 1.31', async () => {
    const { client } = world();
    expect(namesOf(await schemasOf(client).list())).toEqual(SCHEMAS);
    expect(namesOf(await levelsOf(client).list())).toEqual(LEVELS);
  });

  test('creates them as the producer of the configuration', async () => {
    const { client } = world();
    const { metadata, spec } = await levelsOf(client).get('workload-low');
    expect(metadata).toMatchObject({ generation: 1, annotations: { [AUTO]: 'true' } });
    expect(metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ['api-priority-and-fairness-config-producer-v1', 'Update'],
    ]);
    expect(spec).toEqual({
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 100,
        limitResponse: { type: 'Queue', queuing: { queues: 128, handSize: 6, queueLengthLimit: 50 } },
        lendablePercent: 90,
      },
    });
  });

  test('names them by its dialect', async () => {
    const { client, server } = world({ dialect: orch });
    const names = namesOf(await schemasOf(client).list());
    expect(names).toContain('orch-system-service-accounts');
    expect(names).toContain('orch-scheduler');
    expect(names.filter((name) => name?.includes('kube'))).toEqual([]);
    const { metadata, spec } = await schemasOf(client).get('system-leader-election');
    expect(metadata.annotations).toEqual({ [autoUpdateAnnotation(server.dialect)]: 'true' });
    expect(spec?.rules?.[0]?.resourceRules?.[0]?.apiGroups).toEqual(['coordination.orch.io']);
  });

  test('owns in the created objects what a create through the API would own', async () => {
    const { client, minute } = world();
    const names = { schemas: ['probes', 'system-nodes'], levels: ['catch-all', 'exempt', 'system'] };
    const owned = async () => {
      const objects = [
        ...(await Promise.all(names.schemas.map((name) => schemasOf(client).get(name)))),
        ...(await Promise.all(names.levels.map((name) => levelsOf(client).get(name)))),
      ];
      return objects.map(
        ({ metadata }) => metadata.managedFields?.find(({ operation }) => operation === 'Update')?.fieldsV1,
      );
    };
    const atStart = await owned();
    for (const name of names.schemas) await schemasOf(client).delete(name);
    for (const name of names.levels) await levelsOf(client).delete(name);
    await minute();
    expect(atStart).toEqual(await owned());
    expect(atStart).not.toContain(undefined);
  });
});

test('a server without fairness has none of them, and no controller works for them', async () => {
  const { client, server, minute } = world({ fairness: false });
  expect(namesOf(await schemasOf(client).list())).toEqual([]);
  await schemasOf(client).create({ metadata: { name: 'mine' }, ...SCHEMA });
  await minute();
  expect((await schemasOf(client).get('mine')).status).toEqual({});
  expect(namesOf(await levelsOf(client).list())).toEqual([]);
  expect(server.busyControllers()).toEqual([]);
});

describe('maintenance', () => {
  test('creates deleted objects again within a minute', async () => {
    const { client, minute } = world();
    await schemasOf(client).list();
    for (const name of ['exempt', 'probes']) await schemasOf(client).delete(name);
    for (const name of ['catch-all', 'system']) await levelsOf(client).delete(name);
    await minute();
    expect(namesOf(await schemasOf(client).list())).toEqual(SCHEMAS);
    expect(namesOf(await levelsOf(client).list())).toEqual(LEVELS);
  });

  test('restores the spec of a suggested object', async () => {
    const { client, minute } = world();
    const probes = await schemasOf(client).get('probes');
    await schemasOf(client).update({ ...probes, spec: { ...SCHEMA.spec } });
    await minute();
    expect((await schemasOf(client).get('probes')).spec).toEqual(probes.spec);
  });

  test('keeps what the user has changed with the annotation false', async () => {
    const { client, minute } = world();
    const probes = await schemasOf(client).get('probes');
    probes.metadata.annotations = { [AUTO]: 'false' };
    const changed = await schemasOf(client).update({ ...probes, spec: { ...SCHEMA.spec } });
    await minute();
    const { metadata, spec } = await schemasOf(client).get('probes');
    expect(spec).toEqual(changed.spec);
    expect(metadata.annotations).toEqual({ [AUTO]: 'false' });
  });

  test('takes an object without the annotation for the users once its spec was changed', async () => {
    const { client, minute } = world();
    const system = await levelsOf(client).get('system');
    delete system.metadata.annotations;
    await levelsOf(client).update({ ...system, ...LEVEL });
    await minute();
    const { metadata, spec } = await levelsOf(client).get('system');
    expect(metadata.annotations).toEqual({ [AUTO]: 'false' });
    expect(spec?.limited?.limitResponse?.type).toBe('Reject');
  });

  test.each([undefined, 'perhaps'])('takes an unchanged object for the server, annotated with %s', async (value) => {
    const { client, minute } = world();
    await schemasOf(client).list();
    await levelsOf(client).delete('system');
    const annotations = value === undefined ? {} : { [AUTO]: value };
    await levelsOf(client).create({ metadata: { name: 'system', annotations }, ...LEVEL });
    await minute();
    const { metadata, spec } = await levelsOf(client).get('system');
    expect(metadata).toMatchObject({ generation: 2, annotations: { [AUTO]: 'true' } });
    expect(spec?.limited?.nominalConcurrencyShares).toBe(30);
  });

  test('does not let a user take over a mandatory object', async () => {
    const { client, minute } = world();
    const exempt = await schemasOf(client).get('exempt');
    exempt.metadata.annotations = { [AUTO]: 'false' };
    await schemasOf(client).update(exempt);
    await minute();
    expect((await schemasOf(client).get('exempt')).metadata.annotations).toEqual({ [AUTO]: 'true' });
  });

  test('leaves the shares of the exempt level to the user', async () => {
    const { client, minute } = world();
    const exempt = await levelsOf(client).get('exempt');
    const own = { nominalConcurrencyShares: 7, lendablePercent: 50 };
    await levelsOf(client).update({ ...exempt, spec: { type: 'Exempt', exempt: own } });
    await minute();
    expect((await levelsOf(client).get('exempt')).spec?.exempt).toEqual(own);
  });

  test('removes objects that it maintained in an earlier release, and no others', async () => {
    const { client, minute } = world();
    await schemasOf(client).list();
    const create = (name: string, value: string | undefined) => {
      const metadata = { name, ...(value === undefined ? {} : { annotations: { [AUTO]: value } }) };
      return Promise.all([
        schemasOf(client).create({ metadata, ...SCHEMA }),
        levelsOf(client).create({ metadata, ...LEVEL }),
      ]);
    };
    await create('former', 'true');
    await create('mine', 'false');
    await create('odd', 'perhaps');
    await create('plain', undefined);
    await minute();
    expect(namesOf(await schemasOf(client).list())).toEqual([...SCHEMAS, 'mine', 'odd', 'plain'].sort());
    expect(namesOf(await levelsOf(client).list())).toEqual([...LEVELS, 'mine', 'odd', 'plain'].sort());
  });

  test('writes nothing when all is in order', async () => {
    const { client, minute } = world();
    await schemasOf(client).list();
    await minute();
    const { metadata } = await schemasOf(client).list();
    await minute();
    await minute();
    expect((await schemasOf(client).list()).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test('continues in a fork and after a restart', async () => {
    const { client, server } = world();
    await schemasOf(client).list();
    const clock = new ManualClock();
    await using fork = await server.fork({ clock });
    const forked = fork.client();
    await schemasOf(forked).delete('probes');
    await fork.settled();
    clock.advance(MINUTE_MS);
    await fork.settled();
    expect(namesOf(await schemasOf(forked).list())).toEqual(SCHEMAS);
    await schemasOf(client).delete('probes');
    await server.restart();
    expect(namesOf(await schemasOf(client).list())).toEqual(SCHEMAS);
  });
});

describe('the condition Dangling', () => {
  test('says that the level of a schema exists', async () => {
    const { client, server, clock } = world();
    await schemasOf(client).list();
    await server.settled();
    const { metadata, status } = await schemasOf(client).get('probes');
    expect(status).toEqual({
      conditions: [
        {
          type: 'Dangling',
          status: 'False',
          lastTransitionTime: new Date(clock.now()).toISOString().replace('.000', ''),
          reason: 'Found',
          message: 'This FlowSchema references the PriorityLevelConfiguration object named "exempt" and it exists',
        },
      ],
    });
    expect(metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: 'api-priority-and-fairness-config-consumer-v1',
        operation: 'Apply',
        subresource: 'status',
      }),
    );
    expect(metadata.generation).toBe(1);
  });

  test('follows the level', async () => {
    const { client, server, clock } = world();
    const conditions = async () => {
      await server.settled();
      return (await schemasOf(client).get('mine')).status?.conditions;
    };
    const spec = { ...SCHEMA.spec, priorityLevelConfiguration: { name: 'late' } };
    await schemasOf(client).create({ metadata: { name: 'mine' }, spec });
    const [first] = (await conditions()) ?? [];
    expect(first).toMatchObject({
      status: 'True',
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "late" but there is no such object',
    });
    clock.advance(5000);
    await levelsOf(client).create({ metadata: { name: 'late' }, ...LEVEL });
    const [second] = (await conditions()) ?? [];
    expect(second).toMatchObject({ status: 'False', reason: 'Found' });
    expect(second?.lastTransitionTime).not.toBe(first?.lastTransitionTime);
    await levelsOf(client).delete('late');
    expect(await conditions()).toMatchObject([{ status: 'True', reason: 'NotFound' }]);
  });

  test('leaves other conditions alone', async () => {
    const { client, server } = world();
    const mine = await schemasOf(client).create({ metadata: { name: 'mine' }, ...SCHEMA });
    const conditions = [{ type: 'Other', status: 'True' }];
    await schemasOf(client).updateStatus({ ...mine, status: { conditions } });
    await server.settled();
    const { status } = await schemasOf(client).get('mine');
    expect(status?.conditions?.map(({ type }) => type).sort()).toEqual(['Dangling', 'Other']);
  });

  test('is written at most six times a minute for a schema, whoever disagrees', async () => {
    const { client, server, clock } = world();
    await schemasOf(client).create({ metadata: { name: 'mine' }, ...SCHEMA });
    await server.settled();
    const disturb = async (): Promise<string | undefined> => {
      const mine = await schemasOf(client).get('mine');
      const conditions = [{ type: 'Dangling', status: 'True', reason: 'Disturbed', message: 'by the test' }];
      await schemasOf(client).updateStatus({ ...mine, status: { conditions } });
      await server.settled();
      return (await schemasOf(client).get('mine')).status?.conditions?.[0]?.reason;
    };
    const reasons: (string | undefined)[] = [];
    for (let index = 0; index < 6; index += 1) reasons.push(await disturb());
    expect(reasons).toEqual(['Found', 'Found', 'Found', 'Found', 'Found', 'Disturbed']);
    clock.advance(MINUTE_MS);
    await server.settled();
    expect((await schemasOf(client).get('mine')).status?.conditions?.[0]?.reason).toBe('Found');
  });
});
