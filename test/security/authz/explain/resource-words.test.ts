import { describe, expect, it } from 'vitest';
import { resourceOfWords, type NamedResource } from '../../../../src/security/index.js';
import { type AskedResource } from '../../../../src/security/authz/explain/resource-words.js';

const SERVED: readonly NamedResource[] = [
  { group: '', resource: 'pods', singular: 'pod', shortNames: ['po'], namespaced: true },
  { group: '', resource: 'nodes', singular: 'node', shortNames: ['no'], namespaced: false },
  { group: 'events.example', resource: 'events', singular: 'event', namespaced: true },
  { group: '', resource: 'events', singular: 'event', namespaced: true },
  { group: 'apps', resource: 'deployments', singular: 'deployment', namespaced: true },
  { group: 'a.example', resource: 'gadgets', singular: 'gadget', namespaced: true },
  { group: 'b.example', resource: 'gadgets', singular: 'gadget', namespaced: true },
  { group: 'c.example', resource: 'widgets', singular: 'widget', namespaced: true },
  { group: 'c.example', resource: 'widgets', singular: 'widget', namespaced: true },
];

describe('words for a resource', () => {
  it.each<[string, string | undefined, string]>([
    ['pods', undefined, '/pods/ in namespaces'],
    ['pod', undefined, '/pods/ in namespaces'],
    ['po', undefined, '/pods/ in namespaces'],
    ['no', undefined, '/nodes/ in none'],
    ['pods/log', undefined, '/pods/log in namespaces'],
    ['deployments', undefined, 'apps/deployments/ in namespaces'],
    ['deployments.apps', undefined, 'apps/deployments/ in namespaces'],
    ['deployments.apps/scale', undefined, 'apps/deployments/scale in namespaces'],
    ['events', undefined, '/events/ in namespaces'],
    ['events.events.example', undefined, 'events.example/events/ in namespaces'],
    ['widgets', undefined, 'c.example/widgets/ in namespaces'],
    ['gadgets', 'b.example', 'b.example/gadgets/ in namespaces'],
    ['users', '', '/users/ in whatever'],
    ['userextras/scopes', 'authn.example', 'authn.example/userextras/scopes in whatever'],
  ])('%s in %s', (words, group, expected) => {
    const { group: found, resource, subresource, namespaced }: AskedResource = resourceOfWords(words, SERVED, group);
    expect(
      `${found}/${resource}/${subresource} in ${namespaced === undefined ? 'whatever' : namespaced ? 'namespaces' : 'none'}`,
    ).toBe(expected);
  });

  it('may be ambiguous; the candidates are listed', () => {
    expect(() => resourceOfWords('gadgets', SERVED)).toThrow(
      new TypeError('"gadgets" is ambiguous; candidates are "gadgets.a.example", "gadgets.b.example"'),
    );
  });

  it('may be unknown; the most similar resources are listed', () => {
    expect(() => resourceOfWords('deploys', SERVED)).toThrow(
      /^no resource "deploys" is served; nearest are "deployments.apps", .*\. A resource that is not served needs the option group$/,
    );
    expect(() => resourceOfWords('Pods', SERVED)).toThrow(TypeError);
    expect(() => resourceOfWords('deployments.extensions', SERVED)).toThrow(
      'no resource "deployments.extensions" is served; nearest are "deployments.apps"',
    );
    expect(() => resourceOfWords('', SERVED)).toThrow(TypeError);
  });
});
