import { describe, expect, test } from 'vitest';
import { ConfigMap, Deployment, Namespace, Pod } from '../../../src/entries/index.js';
import { requestOf } from '../../server/ask.js';
import { PolicyWorld, refusal, rule } from './support.js';

const containers = [{ name: 'main', image: 'image' }];
const DENY = { validations: [{ expression: 'false', message: 'never' }] };
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('a policy for one route', () => {
  test('matches every way of a create, also an apply', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', {
      ...DENY,
      matchConstraints: { resourceRules: [rule('configmaps', { operations: ['CREATE'] })] },
    });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const apply = { headers: { 'content-type': 'application/apply-patch+yaml' } };
    expect((await world.send('POST', CONFIG_MAPS, body)).code).toBe(422);
    expect((await world.send('POST', CONFIG_MAPS, { metadata: { generateName: 'a-' } })).message).toMatch(
      /^configmaps "a-[a-z0-9]{5}" is forbidden: /,
    );
    expect((await world.send('PATCH', `${CONFIG_MAPS}/a?fieldManager=x`, body, apply)).code).toBe(422);
    expect((await world.send('GET', `${CONFIG_MAPS}/a`)).code).toBe(404);
  });

  test('does not match an update that an apply becomes', async () => {
    await using world = new PolicyWorld();
    await world.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    await world.policy('p', {
      ...DENY,
      matchConstraints: { resourceRules: [rule('configmaps', { operations: ['CREATE'] })] },
    });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } };
    const apply = { headers: { 'content-type': 'application/apply-patch+yaml' } };
    expect((await world.send('PATCH', `${CONFIG_MAPS}/a?fieldManager=x`, body, apply)).code).toBe(200);
  });

  test('matches every way of an update: PUT, each patch and apply', async () => {
    await using world = new PolicyWorld();
    await world.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    await world.policy('p', {
      ...DENY,
      matchConstraints: { resourceRules: [rule('configmaps', { operations: ['UPDATE'] })] },
    });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } };
    const path = `${CONFIG_MAPS}/a`;
    const send = async (method: string, target: string, type: string, sent: object) =>
      (await world.send(method, target, sent, { headers: { 'content-type': type } })).code;
    expect(await send('PUT', path, 'application/json', body)).toBe(422);
    expect(await send('PATCH', path, 'application/merge-patch+json', { data: { a: '1' } })).toBe(422);
    expect(await send('PATCH', path, 'application/strategic-merge-patch+json', { data: { a: '1' } })).toBe(422);
    const operations = [{ op: 'add', path: '/data', value: { a: '1' } }];
    expect(await send('PATCH', path, 'application/json-patch+json', operations)).toBe(422);
    expect(await send('PATCH', `${path}?fieldManager=x`, 'application/apply-patch+yaml', body)).toBe(422);
  });

  test('refuses the objects of a deletecollection one by one', async () => {
    await using world = new PolicyWorld();
    const configMaps = world.client.resource(ConfigMap).namespace('default');
    for (const name of ['a', 'b', 'c']) await configMaps.create({ metadata: { name, labels: { own: 'yes' } } });
    await world.policy('p', {
      matchConstraints: { resourceRules: [rule('configmaps', { operations: ['DELETE'] })] },
      validations: [{ expression: "object == null && oldObject.metadata.name != 'b'", message: 'b stays' }],
    });
    expect((await world.send('DELETE', `${CONFIG_MAPS}/b`)).message).toContain('denied request: b stays');
    expect((await world.send('DELETE', `${CONFIG_MAPS}?labelSelector=own%3Dyes`)).message).toContain(
      'configmaps "b" is forbidden',
    );
    expect((await world.send('GET', `${CONFIG_MAPS}/b`)).code).toBe(200);
  });

  test('does not match subresources that it does not name, and the other way round', async () => {
    await using world = new PolicyWorld();
    const pods = world.client.resource(Pod).namespace('default');
    await pods.create({ metadata: { name: 'a' }, spec: { containers } });
    await world.policy('main', {
      ...DENY,
      matchConstraints: { resourceRules: [rule('pods', { operations: ['UPDATE', 'CREATE'] })] },
    });
    const status = { status: { phase: 'Failed' } };
    const label = { metadata: { labels: { a: 'b' } } };
    const merge = { headers: { 'content-type': 'application/merge-patch+json' } };
    const pod = '/api/v1/namespaces/default/pods/a';
    expect((await world.send('PATCH', pod, label, merge)).code).toBe(422);
    expect((await world.send('PATCH', `${pod}/status`, status, merge)).code).toBe(200);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };
    expect((await world.send('POST', `${pod}/eviction?dryRun=All`, eviction)).code).toBe(201);

    await world.policy('parts', { ...DENY, matchConstraints: { resourceRules: [rule('pods/status')] } });
    expect((await world.send('PATCH', `${pod}/status`, status, merge)).message).toContain("'parts'");
    await world.policy('rest', { ...DENY, matchConstraints: { resourceRules: [rule('pods/*')] } });
    expect((await world.send('POST', `${pod}/eviction?dryRun=All`, eviction)).message).toContain("'rest'");
  });

  test('sees the subresource and its own kind', async () => {
    await using world = new PolicyWorld();
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
    await world.client
      .resource(Deployment)
      .namespace('default')
      .create({ metadata: { name: 'd' }, spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template } });
    await world.policy('scale', {
      matchConstraints: { resourceRules: [rule('deployments/scale', { apiGroups: ['apps'] })] },
      validations: [
        {
          expression: 'object.spec.replicas <= 3',
          messageExpression:
            "request.kind.kind + ' ' + request.subResource + ' ' + object.kind + ' ' + string(oldObject.spec.replicas)",
        },
      ],
    });
    const scale = '/apis/apps/v1/namespaces/default/deployments/d/scale';
    const merge = { headers: { 'content-type': 'application/merge-patch+json' } };
    expect((await world.send('PATCH', scale, { spec: { replicas: 4 } }, merge)).message).toContain(
      'denied request: Scale scale Scale 1',
    );
    expect((await world.send('PATCH', scale, { spec: { replicas: 3 } }, merge)).code).toBe(200);
  });

  test('does not intercept policies and reviews, which would otherwise lock everyone out', async () => {
    // The controllers cannot write either.
    await using world = new PolicyWorld({
      observability: { logger: { error: () => undefined, info: () => undefined } },
    });
    const everything = rule('*', { apiGroups: ['*'], apiVersions: ['*'] });
    await world.policy('all', { ...DENY, matchConstraints: { resourceRules: [everything] } });
    expect((await world.configMap()).code).toBe(422);
    const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
    expect((await world.send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)).code).toBe(201);
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    expect((await world.send('DELETE', `${policies}/all`)).code).toBe(200);
    expect((await world.configMap()).code).toBe(201);
  });

  test('matches requests of clients in the process as well', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', DENY);
    const created = world.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    expect(await refusal(created)).toBe(
      `422 configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: never`,
    );
  });

  test('matches namespaces by their own labels, in their own namespace', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', {
      matchConstraints: {
        resourceRules: [rule('namespaces')],
        namespaceSelector: { matchLabels: { guarded: 'yes' } },
      },
      validations: [{ expression: 'false', messageExpression: "request.namespace + ' ' + request.operation" }],
    });
    const namespaces = world.client.resource(Namespace);
    expect(await refusal(namespaces.create({ metadata: { name: 'a', labels: { guarded: 'yes' } } }))).toContain(
      'denied request: a CREATE',
    );
    await namespaces.create({ metadata: { name: 'b' } });
    expect(await refusal(namespaces.delete('b'))).toBe('allowed');
  });

  test('matches connections by their options, before their object is looked up', async () => {
    await using world = new PolicyWorld();
    await world.client
      .resource(Pod)
      .namespace('default')
      .create({ metadata: { name: 'a' }, spec: { containers } });
    await world.policy('exec', {
      matchConstraints: { resourceRules: [rule('pods/exec', { operations: ['CONNECT'] })] },
      validations: [
        {
          expression: "object.command[0] != 'sh' && !has(object.metadata)",
          messageExpression:
            "request.operation + ' ' + request.kind.kind + ' ' + object.kind + ' ' + object.container + ' ' + object.command.join(',')",
          reason: 'Forbidden',
        },
      ],
    });
    const pod = '/api/v1/namespaces/default/pods';
    const query = 'container=main&command=sh&command=-c&stdin=true';
    const refused = await world.send('POST', `${pod}/a/exec?${query}`);
    expect([refused.code, refused.message]).toEqual([
      403,
      `pods "a" is forbidden: ValidatingAdmissionPolicy 'exec' with binding 'exec' denied request: CONNECT PodExecOptions PodExecOptions main sh,-c`,
    ]);
    expect((await world.send('POST', `${pod}/none/exec?${query}`)).code).toBe(403);
    // Other commands and other connections reach the pod, which has no node.
    expect((await world.send('POST', `${pod}/a/exec?command=ls&stdout=true`)).message).toContain('host assigned');
    expect((await world.send('POST', `${pod}/a/attach?${query}`)).message).toContain('host assigned');
    const upgraded = await world.server.target.handleWebSocket(requestOf('GET', `${pod}/a/exec?${query}`));
    expect('refuse' in upgraded && upgraded.refuse.status).toBe(403);
  });

  test('matches a proxy by its path, and does not match logs', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', {
      matchConstraints: { resourceRules: [rule('services/proxy'), rule('pods/log')] },
      validations: [{ expression: 'false', messageExpression: "object.kind + ' ' + object.path" }],
    });
    const namespace = '/api/v1/namespaces/default';
    expect((await world.send('GET', `${namespace}/services/web/proxy/a/b`)).message).toContain(
      'denied request: ServiceProxyOptions /a/b',
    );
    expect((await world.send('GET', `${namespace}/pods/none/log`)).code).toBe(404);
  });
});
