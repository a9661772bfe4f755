import { describe, expect, test } from 'vitest';
import type { Attributes } from '../../src/security/authz/index.js';
import { selectorAttributes } from '../../src/server/operations/selector-attributes.js';
import { startTestServer } from '../../src/entries/testing.js';
import { ask } from './ask.js';

const of = (verb: string, query: string) =>
  selectorAttributes({ verb, verbViaPathPrefix: false }, new URLSearchParams(query));

describe('the selectors of a request on a collection', () => {
  test.each([
    [
      'fieldSelector=metadata.name=a,spec.nodeName!=n',
      {
        fieldSelector: [
          { key: 'metadata.name', operator: 'In', values: ['a'] },
          { key: 'spec.nodeName', operator: 'NotIn', values: ['n'] },
        ],
      },
    ],
    [
      `labelSelector=${encodeURIComponent('a=b,c!=d,e in (f,g),h notin (i),j,!k')}`,
      {
        labelSelector: [
          { key: 'a', operator: 'In', values: ['b'] },
          { key: 'c', operator: 'NotIn', values: ['d'] },
          { key: 'e', operator: 'In', values: ['f', 'g'] },
          { key: 'h', operator: 'NotIn', values: ['i'] },
          { key: 'j', operator: 'Exists', values: [] },
          { key: 'k', operator: 'DoesNotExist', values: [] },
        ],
      },
    ],
    [`labelSelector=${encodeURIComponent('a>1')}`, {}],
    ['labelSelector=((', {}],
    ['', {}],
  ])('%s', (query, expected) => {
    for (const verb of ['list', 'watch', 'deletecollection']) expect(of(verb, query)).toEqual(expected);
    for (const verb of ['get', 'create', 'update', 'patch', 'delete']) expect(of(verb, query)).toEqual({});
  });

  test('are passed to authorizers only with the feature gate', async () => {
    const tokens = [{ token: 'admin', user: { username: 'admin', groups: [] } }];
    const seen: (Attributes['labelSelector'] | undefined)[] = [];
    for (const featureGates of [{}, { AuthorizeWithSelectors: true }]) {
      await using running = await startTestServer({
        authentication: { tokens },
        featureGates,
        authorization: {
          authorizer: ({ labelSelector }) => (seen.push(labelSelector), { decision: 'Allow', reason: '' }),
        },
      });
      expect((await ask(running.server, 'GET', '/api/v1/configmaps?labelSelector=a')).status).toBe(200);
    }
    expect(seen).toEqual([undefined, [{ key: 'a', operator: 'Exists', values: [] }]]);
  });
});
