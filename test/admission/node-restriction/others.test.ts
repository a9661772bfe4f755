import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { ApiObject } from '../../../src/foundation/objects/object.js';
import { kubernetes, orch } from '../../../src/foundation/index.js';
import { encodePem } from '../../../src/security/pki/index.js';
import { openssl } from '../../security/tokens/openssl.js';
import { agent, attributesOf, bob, objectOf, pluginFor, podOf, type Facts, type Outcome } from './support.js';

const PEM_LABEL = 'CERTIFICATE REQUEST';

describe.each([orch, kubernetes])('in the dialect $name', (dialect) => {
  const { ask, plugin } = pluginFor(dialect);
  const refused = (resource: string, name: string, why: string) => `403 ${resource} "${name}" is forbidden: ${why}`;

  describe('a token request', () => {
    const bound = { kind: 'Pod', apiVersion: 'v1', name: 'pod-mynode', uid: 'pod-mynode-uid' };
    const unbound = 'node requested token not bound to a pod';
    const mismatch =
      'the UID in the bound object reference (earlier) does not match the UID in record. The object might have been deleted and then recreated';
    it.each<[string, boundObjectRef: JsonObject | null | undefined, Outcome]>([
      ['of a pod on the node', bound, true],
      ['of a mirror pod on the node', { ...bound, name: 'mirror-mynode', uid: 'mirror-mynode-uid' }, true],
      ['without a bound object', undefined, unbound],
      ['bound to an explicit null', null, unbound],
      ['of a pod without a name', { ...bound, name: '' }, unbound],
      ['of a secret', { ...bound, kind: 'Secret' }, unbound],
      ['of a node', { ...bound, kind: 'Node', name: 'mynode' }, unbound],
      ['of a pod in another version', { ...bound, apiVersion: 'v2' }, unbound],
      ['of a pod without a version', { kind: 'Pod', name: 'pod-mynode', uid: 'pod-mynode-uid' }, unbound],
      [
        'of a pod without a uid',
        { kind: 'Pod', apiVersion: 'v1', name: 'pod-mynode' },
        'node requested token with a pod binding without a uid',
      ],
      ['of a replaced pod', { ...bound, uid: 'earlier' }, mismatch],
      [
        'of a pod on another node',
        { ...bound, name: 'pod-othernode', uid: 'pod-othernode-uid' },
        'node requested token bound to a pod scheduled on a different node',
      ],
      [
        'of an unscheduled pod',
        { ...bound, name: 'pod-', uid: 'pod--uid' },
        'node requested token bound to a pod scheduled on a different node',
      ],
    ])('%s', async (_case, boundObjectRef, outcome) => {
      const object = objectOf(
        {},
        { spec: { audiences: ['api'], ...(boundObjectRef === undefined ? {} : { boundObjectRef }) } },
      );
      expect(await ask('CREATE', 'serviceaccounts/token', { object, name: 'mysa' })).toBe(
        outcome === true ? true : refused('serviceaccounts', 'mysa', outcome),
      );
    });

    it('is denied for a pod that is missing, or in another namespace', async () => {
      const request = (name: string) => objectOf({}, { spec: { boundObjectRef: { ...bound, name } } });
      expect(await ask('CREATE', 'serviceaccounts/token', { object: request('nopod'), name: 'mysa' })).toBe(
        '404 pod "nopod" not found',
      );
      expect(
        await ask('CREATE', 'serviceaccounts/token', {
          object: request('pod-mynode'),
          name: 'mysa',
          namespace: 'other',
        }),
      ).toBe('404 pod "pod-mynode" not found');
    });
  });

  test('of accounts themselves is not restricted', async () => {
    for (const operation of ['CREATE', 'UPDATE'] as const)
      expect(await ask(operation, 'serviceaccounts', { object: objectOf({ name: 'robot' }) })).toBe(true);
  });

  describe.each(['CREATE', 'UPDATE', 'DELETE'] as const)('%s', (operation) => {
    const facts = (name: string, more: Facts = {}): Facts =>
      operation === 'DELETE' ? { oldObject: objectOf({ name }), ...more } : { object: objectOf({ name }), ...more };

    it('may access its own lease only', async () => {
      const namespace = dialect.namespaces.nodeLease;
      const notOwn = 'can only access node lease with the same name as the requesting node';
      expect(await ask(operation, 'leases', facts('mynode', { namespace }))).toBe(true);
      expect(await ask(operation, 'leases', facts('foo', { namespace }))).toBe(
        `403 leases.coordination.${dialect.groupSuffix} "foo" is forbidden: ${notOwn}`,
      );
      expect(await ask(operation, 'leases', facts('mynode', { namespace: 'foo' }))).toBe(
        `403 leases.coordination.${dialect.groupSuffix} "mynode" is forbidden: can only access leases in the "${namespace}" system namespace`,
      );
    });

    it('may access its own CSINode only', async () => {
      expect(await ask(operation, 'csinodes', facts('mynode'))).toBe(true);
      expect(await ask(operation, 'csinodes', facts('foo'))).toBe(
        `403 csinodes.storage.${dialect.groupSuffix} "foo" is forbidden: can only access CSINode with the same name as the requesting node`,
      );
    });

    it.each(['mynode', 'othernode', undefined])(
      'may access only the resource slices of its own node: %s',
      async (nodeName) => {
        const slice = objectOf({ name: 'something' }, { spec: nodeName === undefined ? {} : { nodeName } });
        const why = `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
        const refusal = `403 resourceslices.resource.${dialect.groupSuffix} "something" is forbidden: ${why}`;
        const outcome = await ask(
          operation,
          'resourceslices',
          operation === 'DELETE' ? { oldObject: slice } : { object: slice, oldObject: slice },
        );
        // Updates are left to the Node authorizer.
        expect(outcome).toBe(nodeName === 'mynode' || operation === 'UPDATE' ? true : refusal);
      },
    );

    it('is not restricted on other resources, nor are other users', async () => {
      expect(await ask(operation, 'configmaps', facts('c'))).toBe(true);
      expect(await ask(operation, 'namespaces/finalize', facts('c'))).toBe(true);
      for (const node of ['mynode', 'othernode', '']) {
        const pod = podOf(dialect, `pod-${node}`, node);
        for (const resource of ['pods', 'pods/status', 'pods/binding'])
          expect(
            await ask(operation, resource, {
              ...(operation === 'DELETE' ? {} : { object: pod }),
              oldObject: pod,
              user: bob,
            }),
          ).toBe(true);
      }
      expect(await ask(operation, 'nodes', facts('othernode', { user: bob }))).toBe(true);
    });

    it('is denied everything without a node name', async () => {
      const user = { ...agent, username: 'system:node:' };
      expect(await ask(operation, 'configmaps', facts('c', { user }))).toBe(
        '403 configmaps "c" is forbidden: could not determine node from user "system:node:"',
      );
    });
  });

  describe('volume claims', () => {
    const claim = (status: JsonObject, metadata: ApiObject['metadata'] = {}) =>
      objectOf(
        { name: 'c', resourceVersion: '7', ...metadata },
        { spec: { volumeName: 'v' }, status: { phase: 'Bound', ...status } },
      );
    const before = claim({ capacity: { storage: '10G' } });
    const beyond = 'node "mynode" is not allowed to update fields other than status.quantity and status.conditions';
    it.each<[string, string, ApiObject, Outcome]>([
      ['only their status', 'persistentvolumeclaims', before, 'may only update PVC status'],
      [
        'their capacity and conditions',
        'persistentvolumeclaims/status',
        claim({ capacity: { storage: '15G' }, conditions: [{ type: 'Resizing', status: 'True' }] }),
        true,
      ],
      [
        'in any version, by any manager',
        'persistentvolumeclaims/status',
        claim({}, { resourceVersion: '', managedFields: [{ manager: 'm' }] }),
        true,
      ],
      [
        'not their allocated resources',
        'persistentvolumeclaims/status',
        claim({ allocatedResources: { storage: '15G' } }),
        beyond,
      ],
      ['not their phase', 'persistentvolumeclaims/status', claim({ phase: 'Lost' }), beyond],
      ['not their labels', 'persistentvolumeclaims/status', claim({}, { labels: { a: 'b' } }), beyond],
    ])('%s', async (_case, resource, object, outcome) => {
      expect(await ask('UPDATE', resource, { object, oldObject: before })).toBe(
        outcome === true ? true : refused('persistentvolumeclaims', 'c', outcome),
      );
    });

    it('may not be created or deleted', async () => {
      expect(await ask('DELETE', 'persistentvolumeclaims', { oldObject: before })).toBe(
        refused('persistentvolumeclaims', 'c', 'may only update PVC status'),
      );
      expect(await ask('CREATE', 'persistentvolumeclaims/status', { object: before })).toBe(
        refused('persistentvolumeclaims', 'c', 'unexpected operation "CREATE"'),
      );
    });
  });

  describe('certificate requests', () => {
    const { nodeAgentServing, apiServerClientNodeAgent, apiServerClient } = dialect.signers;
    const resource = `certificatesigningrequests.certificates.${dialect.groupSuffix}`;
    const wrong = `403 ${resource} "Unknown" is forbidden: can only create a node CSR with CN=system:node:mynode`;
    const unreadable = (why: string) => `403 ${resource} "Unknown" is forbidden: unable to parse csr: ${why}`;
    const requestFor = (subject: string): string =>
      openssl(`req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -subj ${subject}`);
    const askFor = (pem: string, signerName: string, operation: 'CREATE' | 'UPDATE' = 'CREATE') =>
      ask(operation, 'certificatesigningrequests', {
        object: objectOf({}, { spec: { request: btoa(pem), signerName } }),
      });

    it.each([
      ['its own serving certificate', '/O=system:nodes/CN=system:node:mynode', nodeAgentServing, true],
      ['its own client certificate', '/O=system:nodes/CN=system:node:mynode', apiServerClientNodeAgent, true],
      ['a serving certificate of another node', '/O=system:nodes/CN=system:node:othernode', nodeAgentServing, wrong],
      [
        'a client certificate of another node',
        '/O=system:nodes/CN=system:node:othernode',
        apiServerClientNodeAgent,
        wrong,
      ],
      ['one of another node after its own', '/CN=system:node:mynode/CN=system:node:othernode', nodeAgentServing, wrong],
      ['one without a node', '/O=system:nodes', nodeAgentServing, wrong],
      ['one for another signer', '/CN=somebody', apiServerClient, true],
    ])('%s', async (_case, subject, signer, outcome) => {
      const pem = requestFor(subject);
      expect(await askFor(pem, signer)).toBe(outcome);
      expect(await askFor(pem, signer, 'UPDATE')).toBe(true);
    });

    it('that are malformed are denied', async () => {
      expect(await askFor(`-----BEGIN ${PEM_LABEL}-----\n-----END ${PEM_LABEL}-----`, nodeAgentServing)).toBe(
        unreadable('asn1: syntax error: sequence truncated'),
      );
      expect(await askFor('', nodeAgentServing)).toBe(unreadable(`PEM block type must be ${PEM_LABEL}`));
      expect(await askFor(encodePem('CERTIFICATE', new Uint8Array(3)), nodeAgentServing)).toBe(
        unreadable(`PEM block type must be ${PEM_LABEL}`),
      );
      const spec = { signerName: nodeAgentServing, request: '*' };
      expect(await ask('CREATE', 'certificatesigningrequests', { object: objectOf({}, { spec }) })).toContain(
        unreadable(''),
      );
    });
  });

  test('an unrestricted user costs no promise', () => {
    const object = objectOf({ name: 'othernode' });
    expect(plugin.mutate?.(attributesOf(dialect, 'CREATE', 'nodes', { object, user: bob }), 0)).toBeUndefined();
    expect(
      plugin.mutate?.(attributesOf(dialect, 'CREATE', 'nodes', { object: objectOf({ name: 'mynode' }) }), 0),
    ).toBeUndefined();
  });

  test('restricts only while it is enabled', async () => {
    let active = false;
    const sometimes = pluginFor(dialect, { active: () => active });
    const facts = { object: objectOf({ name: 'othernode' }) };
    expect(await sometimes.ask('CREATE', 'nodes', facts)).toBe(true);
    active = true;
    expect(await sometimes.ask('CREATE', 'nodes', facts)).toContain('is not allowed to modify node "othernode"');
  });

  test('a request without a required object is denied', async () => {
    const noObject = (resource: string, name: string) => refused(resource, name, 'unexpected type <nil>');
    for (const operation of ['CREATE', 'UPDATE'] as const)
      expect(await ask(operation, 'nodes', { name: 'mynode' })).toBe(noObject('nodes', 'mynode'));
    expect(await ask('UPDATE', 'nodes', { object: objectOf({ name: 'mynode' }) }), 'without the old object').toBe(
      noObject('nodes', 'mynode'),
    );
    expect(await ask('CREATE', 'pods', { name: 'p' })).toBe(noObject('pods', 'p'));
    expect(await ask('UPDATE', 'pods/status', { name: 'p' })).toBe(noObject('pods', 'p'));
    expect(await ask('CREATE', 'pods/eviction', { name: 'p' })).toBe(noObject('pods', 'p'));
    expect(await ask('CREATE', 'serviceaccounts/token', { name: 'a' })).toBe(noObject('serviceaccounts', 'a'));
    expect(await ask('UPDATE', 'persistentvolumeclaims/status', { name: 'c' })).toBe(
      noObject('persistentvolumeclaims', 'c'),
    );
  });
});
